// Whether a number in JSON text keeps its value as a double.
//
// JSON does not limit digits. A reader with doubles reads 9007199254740993 as ...992, one with long integers does not,
// so such a number could be approved as one amount and used as another.

// Fifteen digits always survive a double (IEEE 754, 5.12.2) away from the ends of its range. Most numbers end here.
const surelyKept = /^[-.\d]{1,15}(?:[eE][+-]?\d{1,2})?$/

/** True when the number as we would write it has the same decimal value as the number that was written. */
export function keepsItsValue(written: string): boolean {
  if (surelyKept.test(written)) return true
  const value = Number(written)
  const ours = String(value)
  return ours === written || (Number.isFinite(value) && decimal(ours) === decimal(written))
}

/** One spelling for one decimal value: 1.50, 15e-1 and 150E-2 are all `15e-1`. The sign is left to the double. */
function decimal(number: string): string {
  const e = number.search(/e/i)
  const mantissa = e < 0 ? number : number.slice(0, e)
  const exponent = e < 0 ? 0 : Number(number.slice(e + 1))
  const point = mantissa.indexOf('.')
  const decimals = point < 0 ? 0 : mantissa.length - point - 1
  const digits = mantissa.replace(/^[-0.]+/, '').replace('.', '')
  if (digits === '') return '0'
  // A loop, because /0+$/ takes quadratic time on a long run of zeros that is not at the end.
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return `${digits.slice(0, end)}e${exponent - decimals + digits.length - end}`
}
