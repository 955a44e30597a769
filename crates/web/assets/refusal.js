// Says why a page stays empty. The server refuses the modules of a page whose address it does not know, as behind a proxy
// without --public-url. It is not a module: browsers load it from such an address, too.

{
  const explain = async () => {
    let reason = "A part of this page did not load. Reload the page.";
    try {
      // A request with an origin, as the modules have, whose refusal can be read. It signs nobody in.
      const response = await fetch("/v1/sessions", {
        method: "POST", headers: { "content-type": "application/json" }, body: "{}",
      });
      const problem = await response.json();
      if (problem.code === "foreign_origin") {
        reason = `This server does not know the address ${location.origin}: ${problem.detail}. If people reach it here, start it `
          + `with --public-url ${location.origin}, and let the proxy pass the host and the scheme (see "reverse proxy" in the `
          + "documentation).";
      }
    } catch {
      reason = "The server does not answer. Reload the page later.";
    }
    const message = document.getElementById("message") ?? document.createElement("p");
    message.setAttribute("role", "alert");
    message.className = "message";
    message.textContent = reason;
    // A form that no script handles would send its fields as they are.
    for (const form of document.querySelectorAll("form")) form.remove();
    if (message.isConnected) return;
    const title = document.createElement("h1");
    title.textContent = "This page cannot be shown";
    document.getElementById("main")?.replaceChildren(title, message);
  };

  let isExplained = false;
  window.addEventListener("error", (event) => {
    const isModule = event.target instanceof HTMLScriptElement && event.target.type === "module";
    if (!isModule || isExplained) return;
    isExplained = true;
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", explain, { once: true });
    else explain();
  }, true);
}
