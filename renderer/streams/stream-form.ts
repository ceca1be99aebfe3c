import { STREAM_TABLE, type StreamKind, type StreamTarget } from '../../app/service/stream-kinds.ts'

const FORMS: Readonly<
  Record<StreamTarget, { readonly label: string; readonly hint: string; readonly placeholder: string }>
> = {
  symbol: { label: 'Symbol', hint: 'One symbol.', placeholder: 'MSFT' },
  symbols: {
    label: 'Symbols',
    hint: 'Separate several symbols with commas.',
    placeholder: 'MSFT,AAPL',
  },
  'option-symbols': {
    label: 'Option symbols',
    hint: 'Such as MSFT 261218C400; separate several with commas.',
    placeholder: 'MSFT 261218C400',
  },
  accounts: {
    label: 'Accounts',
    hint: 'Separate several account ids with commas.',
    placeholder: '123456782',
  },
  orders: {
    label: 'Account and orders',
    hint: 'Account, slash, order ids separated by commas.',
    placeholder: '123456782/286234131,286179863',
  },
}

export function streamForm(kind: StreamKind) {
  const { target, targetLabel, note, options = [] } = STREAM_TABLE[kind]
  const { label, hint, placeholder } = FORMS[target]
  return {
    label: targetLabel ?? label,
    hint: note === undefined ? hint : `${hint} ${note}`,
    placeholder,
    options,
  }
}

const MAX_TARGET = 512
const ACCOUNTS = /^[A-Za-z0-9,\s]+$/

export type FormErrors = Readonly<Record<string, string>>

/** Validates a form. `option` reads the text of one of its options. */
export function checkStreamForm(kind: StreamKind, target: string, option: (name: string) => string) {
  const form = streamForm(kind)
  const errors: Record<string, string> = {}
  const wrong = targetError(kind, target)
  if (wrong !== undefined) errors['target'] = wrong
  const options: Record<string, string> = {}
  for (const { name, label, choices } of form.options) {
    const value = option(name)
    options[name] = value
    if (choices !== undefined ? !choices.includes(value) : !/^[1-9]\d{0,5}$/.test(value)) {
      errors[name] =
        choices === undefined ? `${label} must be a whole number above 0.` : `Choose one from the list.`
    }
  }
  if (Object.keys(errors).length > 0) return { ok: false as const, errors }
  const tidy = target
    .split(',')
    .map((one) => one.trim())
    .join(',')
  return { ok: true as const, target: tidy, ...(form.options.length > 0 && { options }) }
}

function targetError(kind: StreamKind, target: string): string | undefined {
  const { target: takes } = STREAM_TABLE[kind]
  if (target === '') return `Enter ${streamForm(kind).label.toLowerCase()} to stream.`
  if (target.length > MAX_TARGET) return `Enter at most ${MAX_TARGET} characters.`
  if (takes === 'orders') {
    return /^[^/,\s]+\/[^/,\s]+(\s*,\s*[^/,\s]+)*$/.test(target)
      ? undefined
      : 'Enter account, slash, order ids: 123456782/286234131.'
  }
  if (takes === 'accounts' && !ACCOUNTS.test(target)) return 'Use letters and digits only in an account id.'
  if (takes === 'symbol' && target.includes(',')) return 'Enter one symbol only.'
  if (target.split(',').some((one) => one.trim() === '')) return 'Remove the extra comma.'
  return undefined
}
