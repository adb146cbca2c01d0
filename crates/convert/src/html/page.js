// Tabs and the buttons that copy code. Without a script all tabs are shown, one below the other.
(function () {
  function each(selector, within, action) { Array.prototype.forEach.call(within.querySelectorAll(selector), action); }
  function select(link) {
    var pane = document.getElementById(link.getAttribute("aria-controls"));
    if (!pane) return;
    each(".nav-link", link.closest("[role=tablist]"), function (other) {
      var active = other === link;
      other.classList.toggle("active", active);
      other.setAttribute("aria-selected", String(active));
      other.tabIndex = active ? 0 : -1;
      var shown = document.getElementById(other.getAttribute("aria-controls"));
      if (shown) {
        shown.classList.toggle("active", active);
        each("." + CSS.escape(shown.id + "-tab-margin-content"), document, function (part) { part.classList.toggle("collapse", !active); });
      }
    });
  }
  each("[role=tablist]", document, function (list) {
    var links = Array.prototype.slice.call(list.querySelectorAll(".nav-link"));
    links.forEach(function (link, index) {
      link.addEventListener("click", function (event) { event.preventDefault(); select(link); });
      link.addEventListener("keydown", function (event) {
        var step = { ArrowRight: 1, ArrowLeft: -1, " ": 0 }[event.key];
        // In a deck, the same keys lead to other slides: there, the tabs are not a ring.
        if (step === undefined || document.querySelector(".reveal") && !links[index + step]) return;
        event.preventDefault();
        event.stopPropagation();
        var next = links[(index + step + links.length) % links.length];
        select(next);
        next.focus();
      });
    });
  });
  document.body.classList.add("tabs-work");
  // What folds, such as the body of a callout.
  each("[data-bs-toggle=collapse]", document, function (header) {
    function fold() {
      var open = header.getAttribute("aria-expanded") !== "true";
      header.setAttribute("aria-expanded", String(open));
      header.classList.toggle("collapsed", !open);
      each(header.getAttribute("data-bs-target"), document, function (part) { part.classList.toggle("show", open); });
    }
    header.tabIndex = 0;
    header.setAttribute("role", "button");
    header.addEventListener("click", fold);
    header.addEventListener("keydown", function (event) {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      fold();
    });
  });
  // Pictures in full size, and the explanations of code that are shown on demand.
  each("a.lightbox", document, function (link) {
    link.addEventListener("click", function (event) {
      event.preventDefault();
      var box = document.createElement("div"), picture = document.createElement("img"), words = document.createElement("div");
      box.className = "lightbox-open";
      picture.src = link.querySelector("img").src;
      words.textContent = link.title;
      box.append(picture, words);
      function close() { box.remove(); document.removeEventListener("keydown", escape, true); }
      function escape(event) {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      }
      box.addEventListener("click", close);
      document.addEventListener("keydown", escape, true);
      document.body.append(box);
    });
  });
  var tip;
  function hide() { if (tip) tip.remove(); tip = null; }
  if (annotations.trigger) each("button.code-annotation-anchor", document, function (mark) {
    function show() {
      hide();
      var words = document.querySelector("[data-code-cell='" + mark.dataset.targetCell + "'][data-code-annotation='" + mark.dataset.targetAnnotation + "']");
      if (!words) return;
      tip = document.createElement("div");
      tip.className = "code-annotation-tip";
      tip.append(words.cloneNode(true));
      var place = mark.getBoundingClientRect();
      tip.style.left = Math.max(8, place.left + window.scrollX - 200) + "px";
      tip.style.top = place.bottom + window.scrollY + 4 + "px";
      document.body.append(tip);
    }
    mark.addEventListener(annotations.trigger, show);
    mark.addEventListener("focus", show);
    mark.addEventListener("blur", hide);
    if (annotations.trigger === "mouseenter") mark.addEventListener("mouseleave", hide);
  });
  var dark = document.getElementById("quarto-dark");
  each(".quarto-color-scheme-toggle", document, function (button) {
    button.addEventListener("click", function () {
      dark.disabled = !dark.disabled;
      document.body.classList.toggle("quarto-dark", !dark.disabled);
      document.body.classList.toggle("quarto-light", dark.disabled);
      // Browsers may refuse to keep it, for pages that are files.
      try { localStorage.setItem("quarto-color-scheme", dark.disabled ? "light" : "dark"); } catch (error) { return; }
    });
  });
  // The menus of a site on narrow screens, and those that open below the bar at the top.
  each(".quarto-btn-toggle, .navbar-toggler", document, function (button) {
    var menu = document.getElementById(button.getAttribute("aria-controls"));
    if (menu) button.addEventListener("click", function () {
      button.setAttribute("aria-expanded", String(menu.classList.toggle("show")));
    });
  });
  document.addEventListener("click", function (event) {
    each("details.dropdown[open]", document, function (menu) { if (!menu.contains(event.target)) menu.open = false; });
  });
  // A link to what is in a hidden tab opens that tab.
  function follow() {
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var part = target && target.closest(".collapse:not(.show)"); part && part.id; part = part.parentElement.closest(".collapse:not(.show)"))
      each("[aria-controls='" + part.id + "'][aria-expanded=false]", document, function (header) { header.click(); });
    for (var pane = target && target.closest(".tab-pane"); pane; pane = pane.parentElement.closest(".tab-pane")) {
      var link = document.getElementById(pane.getAttribute("aria-labelledby"));
      if (link) select(link);
    }
    if (target) target.scrollIntoView();
  }
  window.addEventListener("hashchange", follow);
  if (location.hash) follow();
  if (!navigator.clipboard) return;
  document.body.classList.add("copy-works");
  each(".code-copy-button", document, function (button) {
    button.addEventListener("click", function () {
      var code = button.parentElement.querySelector("pre code");
      navigator.clipboard.writeText(code.textContent).then(function () {
        button.classList.add("code-copy-button-checked");
        setTimeout(function () { button.classList.remove("code-copy-button-checked"); }, 1500);
      });
    });
  });
})();
