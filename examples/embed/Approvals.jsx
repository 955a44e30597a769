// The elements of Countersign in React 19, which sets properties and listens to events of custom elements by itself.
// `/assets` is the Countersign server's path under the page's origin.
import { useEffect, useRef } from "react";

const load = (path) => import(/* @vite-ignore */ `/assets/${path}`);

export function PendingCalls({ thread, onCount }) {
  useEffect(() => void load("inbox-element.js"), []);
  return <countersign-inbox thread={thread} onpending-count={(event) => onCount?.(event.detail)} />;
}

export function ApprovalCard({ thread, call, onDecided }) {
  const card = useRef(null);
  useEffect(() => void load("card/approval-card.js"), []);
  useEffect(() => {
    const element = card.current;
    const report = (event) => onDecided?.(event.detail);
    element.addEventListener("decided", report);
    return () => element.removeEventListener("decided", report);
  }, [onDecided]);
  return <tool-approval-card ref={card} thread={thread} call={call} />;
}
