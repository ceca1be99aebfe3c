import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { PRIVATE_MODE } from './private-files.ts'
import type { Saved } from './storage-error.ts'
import { systemErrorText } from './system-error.ts'

/**
 * Replaces a small file with `text`, or leaves it unchanged.
 *
 * The size is checked before the rename. On a full disk, a write may succeed with fewer bytes, and the rename
 * would then lose the good file too.
 */
export function writeWhole(file: string, text: string): Saved {
  const bytes = new TextEncoder().encode(text)
  const draft = `${file}.new`
  try {
    // A draft left behind by a crash may be readable by others, or be a link.
    rmSync(draft, { force: true })
    const handle = openSync(draft, 'wx', PRIVATE_MODE)
    try {
      let at = 0
      while (at < bytes.length) at += writeSync(handle, bytes, at)
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
    if (statSync(draft).size !== bytes.length) throw new Error('the disk stored only part of it')
    renameSync(draft, file)
    return { ok: true }
  } catch (error) {
    discard(draft)
    return { ok: false, why: systemErrorText(error) }
  }
}

/** Removes a draft, if possible. Never throws, so that the caller can report an earlier error. */
export function discard(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // It stays until a later write removes it.
  }
}
