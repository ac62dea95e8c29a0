// How the address of a resource can be written (RFC 3986, 6.2.2). Pure.
//
// Policies compare addresses as text, and servers often resolve them: `file:///project/../etc/passwd` matches
// `file:///project/*` and is read as `/etc/passwd`. So an address with a second, simpler spelling is not judged. Of other
// escapes neither spelling is simpler: `%40` and `@` mean the same to most servers. So such an address is judged in each of
// its spellings, and the strictest decision counts.

/** Schemes whose host has one spelling: https://url.spec.whatwg.org/#special-scheme */
const special: ReadonlySet<string> = new Set(['file:', 'ftp:', 'http:', 'https:', 'ws:', 'wss:'])

export function hasOtherSpelling(address: string): boolean {
  // URL parsers delete line breaks and tabs, and the controls and spaces around an address; some read `\` as `/`.
  if (hasControl(address) || address !== address.trim() || address.includes('\\')) return true
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(address)?.[0] ?? ''
  if (scheme !== scheme.toLowerCase()) return true
  const rest = address.slice(scheme.length)
  const path = rest.split(/[?#]/, 1)[0] ?? ''
  return hasDots(path) || hasNeedlessEscape(rest) || (special.has(scheme) && hasOtherHost(address, scheme))
}

/** The address and its other spellings, which a server may take for the same resource. */
export function spellingsOf(address: string): readonly string[] {
  const decoded = decodedText(address)
  const spellings = [address, decoded, withEscapes(decoded), parsed(address), parsed(decoded)]
  return [...new Set(spellings.flatMap(withDrives))]
}

/** Each run of escapes that is valid UTF-8 as text. */
function decodedText(address: string): string {
  return address.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** With an escape for every character of the path that may have one. */
function withEscapes(decoded: string): string {
  const [, start = '', path = '', rest = ''] =
    /^([a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?)?([^?#]*)(.*)$/is.exec(decoded) ?? []
  const escaped = path.replaceAll(/[^\w.~/-]/gu, (char) =>
    encodeURIComponent(char.toWellFormed()).replaceAll(
      /[!'()*]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  )
  return `${start}${escaped}${rest}`
}

function parsed(address: string): string {
  return URL.canParse(address) ? new URL(address).href : address
}

/** Drives have no case. */
function withDrives(address: string): readonly string[] {
  const [, before, drive, after] = /^(file:\/\/\/)([a-z])(:.*)$/is.exec(address) ?? []
  return drive === undefined
    ? [address]
    : [address, `${before}${drive.toUpperCase()}${after}`, `${before}${drive.toLowerCase()}${after}`]
}

function hasControl(text: string): boolean {
  return [...text].some((char) => char <= '\u001f' || char === '\u007f')
}

/** Also behind escaped separators, which a server decodes before it opens a file, and behind an escaped `%`. */
function hasDots(path: string): boolean {
  const decoded = path
    .replaceAll(/%25/g, '%')
    .replaceAll(/%2f|%5c/gi, '/')
    .replaceAll(/%2e/gi, '.')
  return decoded.split('/').some((segment) => segment === '.' || segment === '..')
}

/** Letters, digits, `-`, `.`, `_` and `~` never need an escape. */
function hasNeedlessEscape(text: string): boolean {
  return [...text.matchAll(/%([0-9a-f]{2})/gi)].some(([, hex = '']) =>
    /[\w.~-]/.test(String.fromCharCode(Number.parseInt(hex, 16))),
  )
}

/** Another case or port of the host; for a file also a host that is this machine, an empty segment, or a query. */
function hasOtherHost(address: string, scheme: string): boolean {
  if (!URL.canParse(address)) return true
  const { host, username, password } = new URL(address)
  const written = /^[^/?#]*\/\/([^/?#]*)(.*)$/.exec(address)
  if (written === null) return true
  const [, authority = '', path = ''] = written
  // A parser reads `C|` as `C:`.
  if (scheme === 'file:' && (/\/\/|[?#]/.test(path) || /^\/[a-z](?:\||%7c)(?:\/|$)/i.test(path))) return true
  const login = username === '' && password === '' ? '' : authority.slice(0, authority.lastIndexOf('@') + 1)
  return authority !== `${login}${host}`
}
