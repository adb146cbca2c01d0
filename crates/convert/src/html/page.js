// Tabs and the buttons that copy code. Without a script all tabs are shown, one below the other.
(function () {
  function each(selector, within, action) { Array.prototype.forEach.call(within.querySelectorAll(selector), action); }
  function select(link) {
    var pane = document.getElementById(link.getAttribute("aria-controls"));
    if (!pane) return;
    each(".nav-link", link.closest(".nav-tabs"), function (other) {
      var active = other === link;
      other.classList.toggle("active", active);
      other.setAttribute("aria-selected", String(active));
      other.tabIndex = active ? 0 : -1;
      var shown = document.getElementById(other.getAttribute("aria-controls"));
      if (shown) shown.classList.toggle("active", active);
    });
  }
  each(".nav-tabs", document, function (list) {
    var links = Array.prototype.slice.call(list.querySelectorAll(".nav-link"));
    links.forEach(function (link, index) {
      link.addEventListener("click", function (event) { event.preventDefault(); select(link); });
      link.addEventListener("keydown", function (event) {
        var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        var next = links[(index + step + links.length) % links.length];
        select(next);
        next.focus();
      });
    });
  });
  document.body.classList.add("tabs-work");
  // A link to what is in a hidden tab opens that tab.
  function follow() {
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
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
