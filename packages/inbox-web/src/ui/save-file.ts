// Saves what the page has already loaded as a file: a link to the API would be an unsigned request.

/** Browsers start the download a moment later. */
const keepMs = 10_000

export function saveFile(name: string, json: string): void {
  const url = URL.createObjectURL(new Blob([json], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), keepMs)
}
