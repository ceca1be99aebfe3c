/** A sentence of a text, by the line on which it begins (from 1). */
export interface Sentence {
  readonly line: number
  readonly text: string
}

/** Lines of a Markdown text that belong together: a paragraph, an item of a list, a cell of a table. */
interface Block {
  readonly line: number
  readonly text: string
}

const FENCE = /^\s*(```|~~~)/
const TABLE_RULE = /^\s*\|[\s|:-]+\|\s*$/
const BEGINS_BLOCK = /^\s*(?:[-*+] |\d+\. |> |#{1,6} )/

/** Paragraphs, items and cells of a Markdown text; headings and fenced code are left out. */
function blocksOf(markdown: string): readonly Block[] {
  const blocks: { line: number; text: string }[] = []
  let open: { line: number; text: string } | undefined
  let fenced = false
  markdown.split('\n').forEach((raw, index) => {
    const line = index + 1
    if (FENCE.test(raw)) {
      fenced = !fenced
      open = undefined
    } else if (fenced || raw.trim() === '' || /^\s*(?:#{1,6} |!\[|<!--)/.test(raw) || TABLE_RULE.test(raw)) {
      open = undefined
    } else if (/^\s*\|/.test(raw)) {
      open = undefined
      // A cell of a table lists facts that are separated by semicolons.
      for (const fact of raw.split(/[|;]/)) if (fact.trim() !== '') blocks.push({ line, text: fact.trim() })
    } else if (open === undefined || BEGINS_BLOCK.test(raw)) {
      open = { line, text: raw.replace(BEGINS_BLOCK, '').trim() }
      blocks.push(open)
    } else {
      open.text += ` ${raw.trim()}`
    }
  })
  return blocks
}

/** The text as a person reads it: code in backticks is one word, and a link is its label. */
function asRead(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, 'CODE')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}/g, '')
}

/** Sentences of a plain text: they end at a full stop, a question or an exclamation mark before a space. */
export function splitSentences(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?…]["”)]?)\s+(?=[\p{Lu}\d"“(*–])|\n/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}

/** Words of a sentence: a run without spaces that holds a letter or a digit. */
export function wordsOf(sentence: string): readonly string[] {
  return sentence.split(/[\s—–·]+/).filter((word) => /[\p{L}\d]/u.test(word))
}

/** Sentences of a Markdown text outside of headings and fenced code. */
export function markdownSentences(markdown: string): readonly Sentence[] {
  return blocksOf(markdown).flatMap(({ line, text }) =>
    splitSentences(asRead(text)).map((sentence) => ({ line, text: sentence })),
  )
}
