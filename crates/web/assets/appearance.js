// The theme and the density that a person chose. It is not a module: it runs before the first paint.

{
  const choices = /** @type {Record<string, string[]>} */ ({
    theme: ["system", "light", "dark"],
    density: ["comfortable", "compact"],
  });
  const root = document.documentElement;
  const keyOf = (/** @type {string} */ name) => `countersign-${name}`;

  const read = (/** @type {string} */ name) => {
    let value = null;
    try {
      value = localStorage.getItem(keyOf(name));
    } catch {
      // The browser keeps nothing for this site.
    }
    const values = choices[name] ?? [];
    return values.find((choice) => choice === value) ?? values[0] ?? "";
  };

  const apply = () => {
    root.dataset.theme = read("theme");
    root.dataset.density = read("density");
    window.dispatchEvent(new Event("appearance"));
  };

  globalThis.countersignAppearance = {
    choices,
    read,
    write(name, value) {
      try {
        localStorage.setItem(keyOf(name), value);
      } catch {
        // The choice cannot be kept, so nothing changes.
      }
      apply();
    },
  };
  // Another tab changed it.
  window.addEventListener("storage", apply);
  apply();
}
