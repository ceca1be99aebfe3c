import type { StreamKind } from '../../app/service/streams.ts'

/** The form "Open stream…" per kind, and its errors. */

export interface StreamOption {
  readonly name: string
  readonly label: string
  readonly initial: string
  /** The allowed values; absent for a whole number. */
  readonly choices?: readonly string[]
}

interface StreamForm {
  readonly label: string
  readonly hint: string
  readonly placeholder: string
  readonly options: readonly StreamOption[]
}

const symbol = (label: string, hint: string, placeholder = 'MSFT'): StreamForm => ({
  label,
  hint,
  placeholder,
  options: [],
})
const accounts: StreamForm = {
  label: 'Accounts',
  hint: 'One account id, or several separated by commas.',
  placeholder: '123456782',
  options: [],
}

export const STREAM_FORMS: Readonly<Record<StreamKind, StreamForm>> = {
  quotes: symbol('Symbols', 'One symbol, or several separated by commas.', 'MSFT,AAPL'),
  barcharts: {
    ...symbol('Symbol', 'One symbol.'),
    options: [
      { name: 'interval', label: 'Interval', initial: '1' },
      {
        name: 'unit',
        label: 'Unit',
        initial: 'Minute',
        choices: ['Minute', 'Daily', 'Weekly', 'Monthly'],
      },
    ],
  },
  tickbars: {
    ...symbol('Symbol', 'One symbol.'),
    options: [
      { name: 'interval', label: 'Ticks a bar', initial: '100' },
      { name: 'barsBack', label: 'Bars back', initial: '10' },
    ],
  },
  depth: symbol('Symbol', 'One symbol. Shares its slots with depth aggregates.'),
  'depth-aggregates': symbol('Symbol', 'One symbol. Shares its slots with depth quotes.'),
  'option-quotes': symbol(
    'Option symbols',
    'As in MSFT 261218C400; several separated by commas.',
    'MSFT 261218C400',
  ),
  'option-chains': symbol('Underlying', 'One symbol.'),
  orders: accounts,
  'orders-by-id': {
    label: 'Account and orders',
    hint: 'The account, a slash, then order ids separated by commas.',
    placeholder: '123456782/286234131,286179863',
    options: [],
  },
  positions: accounts,
}

/** Kinds that take exactly one symbol. */
const OF_ONE: ReadonlySet<StreamKind> = new Set([
  'barcharts',
  'tickbars',
  'depth',
  'depth-aggregates',
  'option-chains',
])

const LONGEST_TARGET = 512
const ACCOUNTS = /^[A-Za-z0-9,\s]+$/

export type FormErrors = Readonly<Record<string, string>>

export type CheckedStream =
  | {
      readonly ok: true
      readonly target: string
      readonly options?: Readonly<Record<string, string>>
    }
  | { readonly ok: false; readonly errors: FormErrors }

export function checkStream(
  kind: StreamKind,
  target: string,
  option: (name: string) => string,
): CheckedStream {
  const form = STREAM_FORMS[kind]
  const errors: Record<string, string> = {}
  const wrong = targetError(kind, target)
  if (wrong !== undefined) errors['target'] = wrong
  const options: Record<string, string> = {}
  for (const { name, label, choices } of form.options) {
    const value = option(name)
    options[name] = value
    if (choices !== undefined ? !choices.includes(value) : !/^[1-9]\d{0,5}$/.test(value)) {
      errors[name] = choices === undefined ? `${label} is a whole number above 0.` : `Choose one of the list.`
    }
  }
  if (Object.keys(errors).length > 0) return { ok: false, errors }
  const tidy = target
    .split(',')
    .map((one) => one.trim())
    .join(',')
  return form.options.length > 0 ? { ok: true, target: tidy, options } : { ok: true, target: tidy }
}

function targetError(kind: StreamKind, target: string): string | undefined {
  const form = STREAM_FORMS[kind]
  if (target === '') return `Say which ${form.label.toLowerCase()} to stream.`
  if (target.length > LONGEST_TARGET) return `At most ${LONGEST_TARGET} characters.`
  if (kind === 'orders-by-id') {
    return /^[^/,\s]+\/[^/,\s]+(\s*,\s*[^/,\s]+)*$/.test(target)
      ? undefined
      : 'Write the account, a slash, then the order ids: 123456782/286234131.'
  }
  if (form === accounts && !ACCOUNTS.test(target)) return 'An account id has letters and digits only.'
  if (OF_ONE.has(kind) && target.includes(',')) return 'One symbol only.'
  if (target.split(',').some((one) => one.trim() === '')) return 'There is a comma too many.'
  return undefined
}
