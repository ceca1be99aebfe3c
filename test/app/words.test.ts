import { expect, test } from 'vitest'
import { sourcesOf, textOf } from './source-comments.ts'

/** Words that no surface uses, each with its replacement. */
const BANNED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bstands\b/i, 'an active verb'],
  [/\bholds? at once\b/i, 'applies immediately'],
  [/\b(goes|go) on\b/i, 'continues, keeps'],
  [/\blooked after\b/i, 'monitored'],
  [/\bof no use\b/i, 'does not work'],
  [/\bis as (?!long|much|old|many|soon|urgent)/i, 'is the same as'],
  [/\bmodelled\b/i, 'estimate'],
  [/\bheld (to|until)\b/i, '429 until'],
  [/\bis (held|blocked)\b/i, '429'],
  [/\bnear (its )?limit\b/i, 'low'],
  [/\bAll quotas last\b/i, 'No quota runs out within 10 min'],
  [/\bsign-in (needed|required)\b/i, 'signed out, sign in again'],
  [/\bother programs make\b/i, 'others use'],
  [/(?<!--)\bprob(e|es|ed|ing)\b/i, 'check'],
  [/\b(use|make|made|used) elsewhere\b/i, 'by others'],
]

/** Texts that are not shown to people: those for programs, and names in an interface. */
const NAMES = /^[\w./:@#%${}?=&,[\]()|*+\\^-]+$/

const SURFACES = ['renderer', 'app/status', 'app/alerts', 'main/hosts']

/**
 * String literals of a file, and its texts between tags, each with the line on which it begins. Comments are
 * left out.
 */
function saidIn(text: string, hasTags = true): readonly { readonly line: number; readonly said: string }[] {
  const bare = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/(^|\s)\/\/ .*$/gm, '$1')
  const literals = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g
  const found = [...bare.matchAll(literals), ...(hasTags ? bare.matchAll(/>[^<>{}=;]+</g) : [])]
  return found
    .map((one) => ({
      line: bare.slice(0, one.index).split('\n').length,
      said: one[0]
        .slice(1, -1)
        .replaceAll(/\$\{[^}]*\}/g, '…')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    }))
    .filter(({ said }) => said.includes(' ') && !NAMES.test(said))
}

const said = SURFACES.flatMap(sourcesOf).flatMap((path) =>
  saidIn(textOf(path), path.endsWith('.tsx')).map(({ line, said: words }) => ({
    at: `${path}:${line}`,
    words,
  })),
)

test('no surface contains a banned word', () => {
  expect(said.length).toBeGreaterThan(500)
  const wrong = said.flatMap(({ at, words }) =>
    BANNED.flatMap(([word, instead]) =>
      word.test(words) ? [`${at}: “${words}” (${String(word)}: say ${instead})`] : [],
    ),
  )
  expect(wrong).toEqual([])
})

test('a banned word is found in a literal, a template and a tag, and not in a comment', () => {
  const source = [
    "const a = 'Each change holds at once.' // that goes on",
    '/* It stands. */',
    'const b = `Headroom $' + '{name} goes on`',
    '<p>',
    '  The quota stands at 0.',
    '</p>',
  ].join('\n')
  const words = saidIn(source)
  expect(words.map(({ line, said: text }) => `${line} ${text}`)).toEqual([
    '1 Each change holds at once.',
    '3 Headroom … goes on',
    '4 The quota stands at 0.',
  ])
  for (const { said: text } of words) expect(BANNED.some(([word]) => word.test(text))).toBe(true)
})
