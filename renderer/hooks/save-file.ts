export interface SavedFile {
  readonly name: string
  readonly mediaType: string
  readonly text: string
}

/** Saves a file as a download. On the desktop, a dialog asks for its path. */
export function saveFile({ name, mediaType, text }: SavedFile): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
