// What reveal.js leaves to the page: steps of code, footers, and what is larger than its slide. Then the deck begins.
(function () {
  function each(selector, within, action) { Array.prototype.forEach.call(within.querySelectorAll(selector), action); }

  // Steps of code: `1|3-5,7|` highlights lines one after the other, the first of them at once. Each further step is a fragment.
  each("div.sourceCode[data-code-line-numbers]", document, function (block) {
    var index = parseInt(block.dataset.fragmentIndex, 10);
    block.dataset.codeLineNumbers.split("|").slice(1).forEach(function (_, step) {
      var mark = document.createElement("span");
      mark.className = "fragment code-step";
      if (!isNaN(index)) mark.dataset.fragmentIndex = index + step;
      block.append(mark);
    });
  });
  function lines(step) {
    var found = [];
    step.split(",").forEach(function (range) {
      var ends = range.trim().split("-");
      var first = parseInt(ends[0], 10), last = parseInt(ends[ends.length - 1], 10);
      for (var line = first; line <= last && line - first < 10000; line++) found.push(line);
    });
    return found;
  }
  function showStep(block) {
    var steps = block.dataset.codeLineNumbers.split("|"), code = block.querySelector("code");
    var done = block.querySelectorAll(".code-step.visible").length;
    // A page that shows all steps at once highlights none of them.
    var isWhole = Reveal.isPrintView() && steps.length > 1 && !Reveal.getConfig().pdfSeparateFragments;
    var on = isWhole ? [] : lines(steps[Math.min(done, steps.length - 1)]);
    code.classList.toggle("has-steps", on.length > 0);
    each(":scope > span", code, function (line, index) { line.classList.toggle("on", on.indexOf(index + 1) >= 0); });
    var first = code.querySelector(":scope > .on");
    if (first) code.scrollTop = first.offsetTop - Math.max(0, code.clientHeight - first.offsetHeight) / 3;
  }

  // The footer is that of the slide, if it has one.
  var footer = document.querySelector(".reveal > .footer"), logo = document.querySelector(".reveal > .slide-logo");
  var standard = Array.prototype.slice.call(footer.childNodes);
  function footerOf(slide, target) {
    var own = slide && slide.querySelector(".footer"), content = own ? own.childNodes : standard;
    target.replaceChildren.apply(target, Array.prototype.map.call(content, function (node) { return node.cloneNode(true); }));
  }

  // Wide tables get smaller, down to half of their size; then they scroll. Slides and code that are too long scroll.
  function fitTable(table) {
    var room = table.parentElement.clientWidth, size = parseFloat(getComputedStyle(table).fontSize);
    if (!room || table.offsetWidth <= room || table.dataset.fits) return;
    table.dataset.fits = "true";
    for (var part = 0.9; part >= 0.5 && table.offsetWidth > room; part -= 0.1) table.style.fontSize = size * part + "px";
    if (table.offsetWidth <= room) return;
    var area = document.createElement("div"), caption = table.querySelector("caption");
    area.className = "table-scroll";
    area.setAttribute("role", "group");
    area.setAttribute("aria-label", caption ? caption.textContent : "Table");
    table.before(area);
    area.append(table);
  }
  function scrolls(area) {
    return area.scrollHeight > area.clientHeight + 2 || area.scrollWidth > area.clientWidth + 2;
  }
  function fit(slide) {
    if (!slide || slide.classList.contains("stack")) return;
    each("table", slide, fitTable);
    var isPrinted = Reveal.isPrintView(), height = Reveal.getConfig().height;
    if (!isPrinted && typeof height === "number" && !slide.querySelector(".absolute")) {
      slide.classList.remove("overflows");
      slide.classList.toggle("overflows", slide.scrollHeight > height + 8);
    }
    [slide].concat(Array.prototype.slice.call(slide.querySelectorAll("pre code, .table-scroll, .math.display"))).forEach(function (area) {
      var moves = !isPrinted && scrolls(area) && getComputedStyle(area).overflow !== "visible";
      if (moves) area.tabIndex = 0;
      else area.removeAttribute("tabindex");
    });
  }
  // Keys move what has the focus as far as it scrolls, and then the deck.
  document.addEventListener("keydown", function (event) {
    var area = document.activeElement, down = { ArrowDown: 1, PageDown: 1, " ": 1, ArrowUp: -1, PageUp: -1 }[event.key];
    var right = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!area || area.tabIndex !== 0 || !area.matches("section, code, .table-scroll, .math.display")) return;
    var room = down ? area.scrollHeight - area.clientHeight : area.scrollWidth - area.clientWidth;
    var at = down ? area.scrollTop : area.scrollLeft, step = down || right;
    if (step && (step > 0 ? at < room - 1 : at > 1)) event.stopPropagation();
  }, true);

  function show() {
    var slide = Reveal.getCurrentSlide();
    if (!slide) return;
    footerOf(slide, footer);
    each("div.sourceCode[data-code-line-numbers]", slide, showStep);
    fit(slide);
  }
  function step() {
    each("div.sourceCode[data-code-line-numbers]", Reveal.getCurrentSlide(), showStep);
  }
  Reveal.on("ready", show);
  Reveal.on("slidechanged", function () {
    // Keys belong to the slide that is shown.
    var focused = document.activeElement;
    if (focused && focused.closest(".slides") && !Reveal.getCurrentSlide().contains(focused)) focused.blur();
    show();
  });
  Reveal.on("resize", show);
  Reveal.on("fragmentshown", step);
  Reveal.on("fragmenthidden", step);
  Reveal.on("pdf-ready", function () {
    each("div.sourceCode[data-code-line-numbers]", document, showStep);
    each(".pdf-page", document, function (page) {
      fit(page.querySelector("section"));
      var own = footer.cloneNode(false);
      footerOf(page, own);
      page.append(own);
      if (logo) page.append(logo.cloneNode(true));
    });
    footer.remove();
    if (logo) logo.remove();
  });
  // Paper shows all tabs, below each other.
  if (/[?&](print-pdf|view=print)/i.test(location.search)) each(".tab-pane", document, function (pane) {
    var tab = document.getElementById(pane.getAttribute("aria-labelledby")), title = document.createElement("strong");
    if (!tab) return;
    title.textContent = tab.textContent.trim();
    pane.prepend(title);
  });
  settings.plugins = [RevealNotes];
  Reveal.initialize(settings);
})();
