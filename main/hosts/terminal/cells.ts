import { styleText } from 'node:util'

export type Tone = 'plain' | 'dim' | 'bold' | 'good' | 'warn' | 'bad'

/** A text of fixed width with its style. */
export interface Cell {
  readonly text: string
  readonly tone: Tone
}

const STYLES = { dim: 'dim', bold: 'bold', good: 'green', warn: 'yellow', bad: 'red' } as const

/** The text of a cell. `colour` selects terminal colours. */
export function paint({ text, tone }: Cell, colour: boolean): string {
  return colour && tone !== 'plain' ? styleText(STYLES[tone], text, { validateStream: false }) : text
}

/**
 * Cuts or pads a text to exactly `width`. Control characters are removed, because a service's name could move
 * the cursor.
 */
export function left(text: string, width: number, tone: Tone = 'plain'): Cell {
  return { text: cut(printable(text), width).padEnd(width), tone }
}

/** Like `left`, aligned to the right. */
export function right(text: string, width: number, tone: Tone = 'plain'): Cell {
  return { text: cut(printable(text), width).padStart(width), tone }
}

/** Replaces control and format characters with a space. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
}

/** Cuts a text to at most `width` characters. */
export function cut(text: string, width: number): string {
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`
}

/**
 * Formats a duration in at most five characters: `9s`, `4m59s`, `23h`, `12d`. Negative durations count as 0.
 */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  if (seconds < 100) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return `${minutes}m${String(seconds % 60).padStart(2, '0')}s`
  if (minutes < 100) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  return hours < 100 ? `${hours}h` : `${Math.floor(hours / 24)}d`
}

/**
 * Draws a bar: filled to `fraction`, shaded to `upTo` (0 to 1). It looks empty only at 0, and full only at 1.
 */
export function levelBar(fraction: number, width: number, upTo = fraction): string {
  const filled = blocks(fraction, width)
  const shaded = Math.max(filled, blocks(upTo, width))
  return '█'.repeat(filled) + '▒'.repeat(shaded - filled) + '░'.repeat(width - shaded)
}

function blocks(fraction: number, width: number): number {
  const whole = Math.round(Math.min(1, Math.max(0, fraction)) * width)
  return fraction > 0 && fraction < 1 ? Math.min(width - 1, Math.max(1, whole)) : whole
}
