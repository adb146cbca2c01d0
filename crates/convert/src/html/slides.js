// Arrow keys, space and Page keys move from slide to slide.
(function () {
  var all = Array.prototype.filter.call(document.querySelectorAll(".slides section"), function (section) {
    return !section.querySelector("section") && !section.closest("aside");
  });
  function current() {
    var middle = window.innerHeight / 2;
    for (var i = all.length - 1; i > 0; i--) if (all[i].getBoundingClientRect().top <= middle) return i;
    return 0;
  }
  document.addEventListener("keydown", function (event) {
    var step = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    var next = all[Math.min(Math.max(current() + step, 0), all.length - 1)];
    if (next) next.scrollIntoView();
  });
  // Links such as #/results lead to what has the identifier.
  function follow() {
    var target = document.getElementById(decodeURIComponent(location.hash.replace(/^#\/?/, "")));
    if (target) target.scrollIntoView();
  }
  window.addEventListener("hashchange", follow);
  follow();
  // How a deck is scrolled; below a width only where one is set.
  function scroll() {
    var active = settings.view === "scroll" &&
      (!settings.scrollActivationWidth || window.innerWidth <= settings.scrollActivationWidth);
    var root = document.documentElement;
    root.style.scrollSnapType = active && settings.scrollSnap ? "y " + settings.scrollSnap : "";
    root.classList.toggle("scroll-compact", active && settings.scrollLayout === "compact");
    root.classList.toggle("scroll-progress", active && settings.scrollProgress !== false);
  }
  function progress() {
    var root = document.documentElement;
    root.style.setProperty("--progress", root.scrollTop / Math.max(1, root.scrollHeight - root.clientHeight));
  }
  window.addEventListener("resize", scroll);
  window.addEventListener("scroll", progress);
  scroll();
})();
