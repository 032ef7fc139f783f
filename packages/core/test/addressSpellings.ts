/** An address of IPv4 in every spelling of its own, and in every address of IPv6 that carries it. */
export const addressSpellings = (dotted: string): ReadonlyArray<string> => {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number)
  const number = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (byte: number) => byte.toString(16).padStart(2, "0")
  const groups = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`
  const inverted = `${hex(255 - a)}${hex(255 - b)}:${hex(255 - c)}${hex(255 - d)}`
  return [
    dotted,
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    [a, b, c, d].map((byte) => `0x${byte.toString(16)}`).join("."),
    [a, b, c, d].map((byte) => `0${byte.toString(8)}`).join("."),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `::ffff:${dotted}`,
    `::ffff:${groups}`,
    `0:0:0:0:0:FFFF:${groups}`,
    `::${dotted}`,
    `::ffff:0:${dotted}`,
    `64:ff9b::${dotted}`,
    `64:ff9b::${groups}`,
    `64:ff9b:1::${dotted}`,
    `2002:${groups}::`,
    `2002:${groups}:1:2:3:4:5`,
    `2001:0:${groups}::`,
    `2001:0:808:808:0:0:${inverted}`,
    `2606:4700::5efe:${dotted}`,
    `2606:4700:1:2:200:5efe:${dotted}`
  ]
}
