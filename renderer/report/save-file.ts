import type { ExportedFile } from '../../app/contract/history.ts'

/** Hands a file to the browser, or to the desktop's own question of where it goes. */
export function saveFile({ name, mediaType, text }: ExportedFile): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
