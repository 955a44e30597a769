// The values that JSON can hold.

/** A JSON value. Integers beyond 2^53 are `bigint`, and decimals that no double represents are {@link ExactNumber}. */
export type JsonValue = null | boolean | number | bigint | string | ExactNumber | JsonValue[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [name: string]: JsonValue };

const NUMBER = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
const MAX_EXPONENT_DIGITS = 15;

/** A number that keeps its decimal digits, because no double has the same value. */
export class ExactNumber {
  /** The digits, as JSON has them. */
  readonly text: string;

  constructor(text: string) {
    decimalParts(text);
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return this.text;
  }

  /** The nearest double. It has another value. */
  toNumber(): number {
    return Number(this.text);
  }
}

/** The sign, the digits without zeros at the ends, and the power of ten of a JSON number. Throws a `RangeError` for others. */
function decimalParts(text: string): string {
  const match = NUMBER.exec(text);
  if (!match) {
    throw new RangeError(`${JSON.stringify(text)} is not a JSON number`);
  }
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (exponent.replace(/^[+-]?0*/, "").length > MAX_EXPONENT_DIGITS) {
    throw new RangeError("the exponent of a number is too large");
  }
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = withoutLastZeros(digits);
  if (kept === "") {
    return "0";
  }
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

// A regular expression for the zeros at the end takes time quadratic in their number.
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") {
    end -= 1;
  }
  return digits.slice(0, end);
}

/** Reads a number with a fraction or an exponent: a double if it has the same decimal value, or else the digits. */
export function readDecimal(text: string): number | ExactNumber {
  const exact = decimalParts(text);
  const near = Number(text);
  return Number.isFinite(near) && decimalParts(String(near)) === exact ? near : new ExactNumber(text);
}

const MAX_INTEGER_DIGITS = 4300;

/** Reads a number without a fraction and an exponent. */
export function readInteger(text: string): number | bigint | ExactNumber {
  const near = Number(text);
  if (Number.isSafeInteger(near)) {
    return near;
  }
  // The time to convert digits grows faster than their number.
  return text.length > MAX_INTEGER_DIGITS ? new ExactNumber(text) : BigInt(text);
}
