// Tiles of a log (c2sp.org/tlog-tiles): their coordinates, their paths, and which of them a tree of some size has.
//
// A hash tile of level L has up to 256 hashes, each the root of 256^L leaves. Only the last tile of a level can be
// partial, and its width is part of its path, so the bytes at a path never change. Entry bundles use the same indexes
// and widths as the hash tiles of level 0.

export const tileWidth = 256

export interface TileRef {
  readonly level: number | 'entries'
  readonly index: number
  /** Hashes or entries: 256, or fewer in a partial tile. */
  readonly width: number
}

/** Relative to the log's prefix, for example `tile/0/x001/x234/067` or `tile/entries/000.p/17`. */
export function tilePath({ level, index, width }: TileRef): string {
  const groups: string[] = []
  for (let rest = index; rest > 0 || groups.length === 0; rest = Math.floor(rest / 1000)) {
    groups.unshift(`${groups.length === 0 ? '' : 'x'}${String(rest % 1000).padStart(3, '0')}`)
  }
  return `tile/${level}/${groups.join('/')}${width === tileWidth ? '' : `.p/${width}`}`
}

const pathPattern =
  /^tile\/(entries|\d|[1-5]\d|6[0-3])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]|[1-9]\d|1\d\d|2[0-4]\d|25[0-5]))?$/

/** The tile at a path; undefined if it is not the one spelling of a tile's path. */
export function parseTilePath(path: string): TileRef | undefined {
  const [, level, groups, width] = pathPattern.exec(path) ?? []
  if (level === undefined || groups === undefined) return undefined
  const index = Number(groups.replaceAll('/', '').replaceAll('x', ''))
  const tile = {
    level: level === 'entries' ? level : Number(level),
    index,
    width: width === undefined ? tileWidth : Number(width),
  } as const
  return Number.isSafeInteger(index) && tilePath(tile) === path ? tile : undefined
}

/** How many hashes a level has in a tree of this size: one for each 256^level leaves that are complete. */
export function hashesAt(level: number, size: number): number {
  return Math.floor(size / tileWidth ** level)
}

/** The tile with this index as a tree of this size has it; undefined if it has none. */
export function tileIn(size: number, level: TileRef['level'], index: number): TileRef | undefined {
  const count = hashesAt(level === 'entries' ? 0 : level, size) - index * tileWidth
  return count <= 0 ? undefined : { level, index, width: Math.min(tileWidth, count) }
}

/** All tiles of one level in a tree of this size, in order. */
export function* tilesAt(size: number, level: TileRef['level']): Generator<TileRef> {
  for (let index = 0; ; index++) {
    const tile = tileIn(size, level, index)
    if (tile === undefined) return
    yield tile
  }
}

/** The partial tiles of a tree of this size, from level 0 up. With the leaves, they are all that an append reads. */
export function edgeTiles(size: number): TileRef[] {
  const tiles: TileRef[] = []
  for (let level = 0; hashesAt(level, size) > 0; level++) {
    const count = hashesAt(level, size)
    const width = count % tileWidth
    if (width > 0) tiles.push({ level, index: Math.floor(count / tileWidth), width })
  }
  return tiles
}
