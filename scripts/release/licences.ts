// Licences of the packages that are published with Assent or installed by its users. Read from the lock file.

interface Locked {
  readonly dev?: boolean
  readonly link?: boolean
  readonly license?: string
  readonly version?: string
}

/** Permissive licences, which only require that their text is kept. A new one is a decision. */
const allowed = new Set([
  'Apache-2.0',
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
])

/** Every package outside our workspace that is not only for development, with its licence. */
export function licencesIn(lock: string): { name: string; version: string | undefined; licence: string | undefined }[] {
  return Object.entries<Locked>(JSON.parse(lock).packages).flatMap(([path, { dev, link, license, version }]) => {
    const at = path.lastIndexOf('node_modules/')
    if (at === -1 || dev === true || link === true) return []
    return [{ name: path.slice(at + 'node_modules/'.length), version, licence: license }]
  })
}

export function licenceProblems(lock: string): string[] {
  return licencesIn(lock)
    .filter(({ licence }) => licence === undefined || !isAllowed(licence))
    .map(({ name, licence }) => `${name} has the licence ${licence ?? 'unknown'}, which is not in the list`)
}

/** `A OR B` leaves the choice to us, `A AND B` does not. Nested expressions are refused. */
function isAllowed(expression: string): boolean {
  const plain = expression.replace(/^\((.*)\)$/, '$1')
  if (plain.includes(' OR ')) return plain.split(' OR ').some((licence) => allowed.has(licence))
  return plain.split(' AND ').every((licence) => allowed.has(licence))
}
