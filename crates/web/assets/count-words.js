// Counts in words.

/** Writes a count with its word: "1 call", "2 calls". @param {number} count @param {string} word In the singular. */
export const countWords = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
