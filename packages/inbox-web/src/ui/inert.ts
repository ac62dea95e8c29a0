/** A key or click meant for what was shown before must not decide about what has just appeared. */
export const inertMs = 500
