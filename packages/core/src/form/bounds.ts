// The bounds of a number, inclusive and exclusive, as one lower and one upper bound.

export interface Bounds {
  readonly min?: number | undefined
  readonly max?: number | undefined
  readonly above?: number | undefined
  readonly below?: number | undefined
}

/** Whole numbers get inclusive bounds only. If a side has two bounds, the narrower one is kept. */
export function boundsOf(integer: boolean, { min, max, above, below }: Bounds): Bounds {
  if (integer) {
    const least = above === undefined ? undefined : Math.floor(above) + 1
    const most = below === undefined ? undefined : Math.ceil(below) - 1
    return { min: larger(min, least), max: smaller(max, most) }
  }
  const isAbove = above !== undefined && (min === undefined || above >= min)
  const isBelow = below !== undefined && (max === undefined || below <= max)
  return {
    ...(isAbove ? { above } : { min }),
    ...(isBelow ? { below } : { max }),
  }
}

function larger(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}
