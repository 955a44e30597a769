// The page after a sign-in at an identity provider: keeps the session key for the pages of this origin, and leads on.

import { keepPageKey } from "/assets/countersign.js";

const key = document.querySelector("meta[name=countersign-page-key]");
if (key) {
  keepPageKey(key.getAttribute("content"));
  key.remove();
  location.replace("/sign-in/");
}
