import type { ExportedFile } from '../../app/contract/history.ts'

/** Saves a file by the browser's download; the desktop asks where. */
export function saveFile({ name, mediaType, text }: ExportedFile): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
