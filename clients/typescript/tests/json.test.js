// Numbers and strings keep their value, and values without JSON are refused with their location.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createContext, runInContext } from "node:vm";
import { ExactNumber, readJson, writeJson } from "@countersign/client";
import { errorContent, resultContent } from "../dist/result_text.js";

// The value of decimal text as whole digits and a power of ten.
function decimal(text) {
  const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text);
  const digits = (whole + fraction).replace(/^0+(?=\d)/, "");
  const zeros = /0*$/.exec(digits)[0].length;
  const kept = digits.slice(0, digits.length - zeros);
  return kept === "" ? "0" : `${sign}${kept}e${Number(exponent) - fraction.length + zeros}`;
}

const numbers = [
  "0", "-0.0", "9007199254740991", "9007199254740993", "-9007199254740993", "123456789012345678901234567890", "0.1", "1e+16",
  "1E-7", "12345678901234567890.5", "0.1000000000000000055", "0.30000000000000000001", "1e400", "1e-400", "5e-324", "1.50",
  "100000000000000000000.0", `1${"0".repeat(5000)}`, `0.${"3".repeat(5000)}`,
];
for (const text of numbers) {
  test(`number ${text.slice(0, 30)} keeps its value`, () => {
    const written = writeJson(readJson(text));
    assert.equal(decimal(written), decimal(text));
    assert.equal(writeJson(readJson(written)), written);
  });
}

test("number becomes a double only if it is exact", () => {
  assert.equal(readJson("0.1"), 0.1);
  assert.equal(readJson("1.5e3"), 1500);
  assert.equal(readJson("9007199254740992"), 9007199254740992n);
  assert.ok(readJson("0.30000000000000000001") instanceof ExactNumber);
  assert.ok(readJson("1e400") instanceof ExactNumber);
  assert.ok(readJson("1".repeat(5000)) instanceof ExactNumber);
});

test("random doubles are read and written as themselves", () => {
  const view = new DataView(new ArrayBuffer(8));
  for (let at = 0; at < 20_000; at += 1) {
    crypto.getRandomValues(new Uint8Array(view.buffer));
    const value = view.getFloat64(0);
    if (Number.isFinite(value)) {
      const read = readJson(writeJson(value));
      assert.ok(Object.is(Number(read), value), String(value));
    }
  }
});

test("exact number is written digit by digit", () => {
  assert.equal(writeJson({ price: new ExactNumber("19.90"), big: 2n ** 80n }), `{"price":19.90,"big":${2n ** 80n}}`);
  assert.equal(String(new ExactNumber("1e400")), "1e400");
  assert.equal(new ExactNumber("0.5").toNumber(), 0.5);
  for (const text of ["", "1.", "01", "+1", "NaN", "Infinity", "0x10", " 1", "1e9999999999999999"]) {
    assert.throws(() => new ExactNumber(text), RangeError, text);
  }
});

test("texts are read and written as themselves", () => {
  for (const text of ["", "é\u2028\u0000\u001f\"\\/", "😀", "__proto__", "\ufeff"]) {
    assert.equal(readJson(writeJson(text)), text);
    assert.equal(readJson(JSON.stringify(text)), text);
  }
  assert.equal(readJson('"\\ud83d\\ude00\\u00e9\\b\\f\\n\\r\\t\\/"'), "😀é\b\f\n\r\t/");
});

test("reading agrees with JSON.parse on plain texts", () => {
  for (const text of [' { "a" : [ 1 , { } , [ ] , null , true , false ] , "b" : "" } ', "[]", "{}", "\t\n\r 1 "]) {
    assert.deepEqual(readJson(text), JSON.parse(text));
  }
});

test("key named __proto__ is harmless", () => {
  const value = readJson('{"__proto__":{"isAdmin":true},"constructor":1,"hasOwnProperty":2}');
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.equal(value.isAdmin, undefined);
  assert.equal(Object.getOwnPropertyDescriptor(value, "__proto__").value.isAdmin, true);
  assert.equal(writeJson(value), '{"__proto__":{"isAdmin":true},"constructor":1,"hasOwnProperty":2}');
  assert.throws(() => readJson('{"__proto__":1,"__proto__":2}'), /twice/);
});

const invalid = [
  "", "NaN", "[".repeat(100_000), "{", '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '"\\ud800"', '"\\ude00\\ud83d"', '"\ud800"', '"a\nb"', '"\\x"',
  '"\\u12g4"', '"', "01", "1.", ".5", "+1", "-", "1e", "[1,]", '{"a":1,}', "{a:1}", "[1 2]", "1 2", "nul", "tru", "\u00a01",
  "1e99999999999999999999999", "\ufeff1",
];
for (const text of invalid) {
  test(`text ${JSON.stringify(text.slice(0, 20))} is refused`, () => {
    assert.throws(() => readJson(text), (error) => error instanceof SyntaxError && /at character \d+/.test(error.message));
  });
}

test("value without JSON is refused with its place", () => {
  const cases = [
    [{ a: [NaN] }, "NaN is not a JSON number (at /a/0)"],
    [{ a: -Infinity }, "-Infinity is not a JSON number (at /a)"],
    [{ a: new Date() }, "a value of the type Date is not JSON (at /a)"],
    [[1, undefined], "a value of the type undefined is not JSON (at /1)"],
    [undefined, "a value of the type undefined is not JSON"],
    [{ a: () => 1 }, "a value of the type function is not JSON (at /a)"],
    [{ a: Symbol("s") }, "a value of the type symbol is not JSON (at /a)"],
    [new Map(), "a value of the type Map is not JSON"],
    ["\ud800", "a text is not valid Unicode"],
    [{ "\udc00": 1 }, "a text is not valid Unicode"],
  ];
  for (const [value, words] of cases) {
    assert.throws(() => writeJson(value), (error) => error instanceof TypeError && error.message.startsWith(words), words);
  }
});

test("value that contains itself is refused", () => {
  const value = [];
  value.push(value);
  assert.throws(() => writeJson(value), /contains itself/);
});

test("members without a value are left out", () => {
  assert.equal(writeJson({ a: undefined, b: null, c: [null] }), '{"b":null,"c":[null]}');
});

test("plain objects of another realm are plain", () => {
  const other = runInContext("({ list: [1], none: Object.create(null) })", createContext());
  assert.equal(writeJson(other), '{"list":[1],"none":{}}');
});

class Order {
  total = 5n;
  constructor(lines) { this.lines = lines; }
  print() {}
}

test("result that JSON lacks becomes text or plain values", () => {
  const cycle = { name: "loop" };
  cycle.self = cycle;
  const cases = [
    [undefined, "null"],
    [2n ** 70n, String(2n ** 70n)],
    [NaN, '"NaN"'],
    [new Date(0), '"1970-01-01T00:00:00.000Z"'],
    [new Date(NaN), "null"],
    [new Set([1, "a"]), '[1,"a"]'],
    [new Map([["a", 1], ["b", undefined], [null, 3n]]), '{"a":1,"null":3}'],
    [Buffer.from("é"), '"é"'],
    [new URL("http://host/a"), '"http://host/a"'],
    [new Order(["x"]), '{"total":5,"lines":["x"]}'],
    [Symbol("s"), '"Symbol(s)"'],
    [/a+/, '"/a+/"'],
    [new RangeError("far"), '"RangeError: far"'],
    ["half \ud800", '"half \ufffd"'],
    [cycle, '{"name":"loop","self":"[contains itself]"}'],
    [{ a: undefined, b: [undefined], f() {} }, '{"b":[null]}'],
    [new ExactNumber("1.10"), "1.10"],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ];
  for (const [value, text] of cases) {
    assert.equal(resultContent(value), text);
  }
});

test("result that cannot be read is still recorded", () => {
  const broken = { get a() { throw new Error("no"); } };
  assert.equal(resultContent(broken), '"[object Object]"');
  assert.equal(resultContent({ toJSON() { throw new Error("no"); } }), '"[object Object]"');
  const unprintable = Object.create(null, { a: { get() { throw new Error("no"); }, enumerable: true } });
  assert.equal(resultContent(unprintable), '"[object]"');
  let deep = {};
  for (let level = 0; level < 10_000; level += 1) {
    deep = { deep };
  }
  assert.equal(typeof readJson(resultContent(deep)), "object");
});

test("error of a tool becomes a short text", () => {
  assert.equal(errorContent(new TypeError("no \udc00")), '"TypeError: no \ufffd"');
  assert.equal(errorContent("plain"), '"plain"');
  assert.equal(errorContent(undefined), '"undefined"');
  assert.ok(errorContent(new Error("x".repeat(100_000))).length < 17_000);
});
