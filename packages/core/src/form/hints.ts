// Hints in a field's description for rules that a protocol revision has no keyword for.
import type { Field, ListField, NumberField } from './form.ts'

/** The description with the hint after it. */
export function withHint({ description }: Pick<Field, 'description'>, hint: string): string | undefined {
  if (hint === '') return description
  return description === undefined || description === '' ? hint : `${description} ${hint}`
}

export function numberHint({ above, below }: NumberField): string {
  const bounds = [above === undefined ? '' : `more than ${above}`, below === undefined ? '' : `less than ${below}`]
  const hint = bounds.filter((bound) => bound !== '').join(' and ')
  return hint === '' ? '' : `Must be ${hint}.`
}

export function listHint({ minItems, maxItems }: ListField): string {
  const least = minItems === undefined ? '' : ` At least ${minItems}.`
  const most = maxItems === undefined ? '' : ` At most ${maxItems}.`
  return `A list: separate the entries with commas, or write one per line.${least}${most}`
}
