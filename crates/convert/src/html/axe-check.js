// Checks a page for what readers who cannot see it need, and reports what is missing.
(function () {
  var holder = document.getElementById("quarto-axe-checker-options");
  var options = {};
  try { options = JSON.parse(atob(holder.textContent)) || {}; } catch (error) { /* The default is the console. */ }
  function name(element) {
    var label = element.getAttribute("aria-label") || element.getAttribute("title") || element.textContent;
    var picture = element.querySelector("img[alt]:not([alt=''])");
    return (label || "").trim() || (picture ? picture.alt : "");
  }
  function path(element) {
    return element.id ? "#" + element.id : element.tagName.toLowerCase() +
      (element.classList.length ? "." + Array.prototype.join.call(element.classList, ".") : "");
  }
  function run() {
    var found = [];
    function report(rule, words, element) { found.push({ id: rule, help: words, target: path(element), element: element }); }
    function each(selector, action) { Array.prototype.forEach.call(document.querySelectorAll(selector), action); }
    if (!document.documentElement.lang) report("html-has-lang", "The page does not name its language", document.documentElement);
    if (!document.title.trim()) report("document-title", "The page has an empty title", document.documentElement);
    each("img:not([alt])", function (image) {
      if (image.getAttribute("role") !== "presentation") report("image-alt", "A picture has no alternative text", image);
    });
    each("a[href]", function (link) { if (!link.hasAttribute("aria-hidden") && !name(link)) report("link-name", "A link has no text", link); });
    each("button", function (button) { if (!name(button)) report("button-name", "A button has no text", button); });
    each("input:not([type=hidden]), select, textarea", function (field) {
      if (!field.closest("label") && !(field.id && document.querySelector("label[for='" + CSS.escape(field.id) + "']")) && !name(field))
        report("label", "A field has no label", field);
    });
    var level = 0;
    each("h1, h2, h3, h4, h5, h6", function (heading) {
      var own = Number(heading.tagName.slice(1));
      if (level && own > level + 1) report("heading-order", "A heading skips a level", heading);
      if (!heading.textContent.trim()) report("empty-heading", "A heading is empty", heading);
      level = own;
    });
    var ids = {};
    each("[id]", function (element) {
      if (ids[element.id]) report("duplicate-id", "An identifier is there twice", element);
      ids[element.id] = true;
    });
    each("table", function (table) { if (table.rows.length > 1 && !table.querySelector("th")) report("table-headers", "A table has no header cells", table); });
    return found;
  }
  function show() {
    var found = run();
    if (options.output === "document") {
      var box = document.createElement("div");
      box.className = "quarto-axe-report";
      box.setAttribute("role", "status");
      box.style.cssText = "position:fixed;right:2rem;bottom:2rem;max-height:50vh;overflow:auto;padding:1rem;border:1px solid #222;background:#fff;color:#222;z-index:9999";
      if (!found.length) box.textContent = "No accessibility problems found.";
      found.forEach(function (problem) {
        var line = document.createElement("div");
        line.className = "quarto-axe-violation-help";
        line.textContent = problem.help + ": " + problem.target;
        line.addEventListener("click", function () { problem.element.scrollIntoView({ block: "center" }); });
        box.appendChild(line);
      });
      (document.querySelector("main") || document.body).appendChild(box);
    } else if (options.output === "json") {
      console.log(JSON.stringify(found.map(function (problem) { return { id: problem.id, help: problem.help, target: problem.target }; })));
    } else {
      found.forEach(function (problem) { console.warn(problem.id + ": " + problem.help, problem.element); });
      if (!found.length) console.log("No accessibility problems found.");
    }
    document.body.setAttribute("data-quarto-axe-complete", "true");
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show); else show();
})();
