import type { StreamRequest } from './streams.ts'

export type StreamPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly message: string }

/** A symbol. Dots alone, also between slashes, are refused: a server that decodes twice would take them for a step in a path. */
const SYMBOL = /^(?!(?:.*\/)?\.+(?:\/|$))[A-Za-z0-9$@.,/ _+^=:-]{1,40}$/
const ACCOUNT = /^[A-Za-z0-9]{1,20}$/
const ORDER = /^[A-Za-z0-9-]{1,40}$/
const OPTION_NAME = /^[A-Za-z][A-Za-z0-9]{0,31}$/
const MAX_ACCOUNTS = 25
const MAX_SYMBOLS = 100

/**
 * The request that opens a stream, with its path and query under `{base_url}`.
 *
 * Checks the target before a request is spent. Paths: service 11.
 */
export function streamPath({ kind, target, options }: StreamRequest): StreamPath {
  switch (kind) {
    case 'quotes':
      return checked(symbols(target), (list) => `/v3/marketdata/stream/quotes/${list}`, options)
    case 'barcharts':
      return checked(symbol(target), (one) => `/v3/marketdata/stream/barcharts/${one}`, options)
    case 'tickbars': {
      const { interval = '1', barsBack = '10', ...rest } = options
      if (!/^\d{1,5}$/.test(interval) || !/^\d{1,5}$/.test(barsBack)) {
        return refused('interval and barsBack must be whole numbers')
      }
      return checked(symbol(target), (one) => `/v2/stream/tickbars/${one}/${interval}/${barsBack}`, rest)
    }
    case 'depth':
      return checked(symbol(target), (one) => `/v3/marketdata/stream/marketdepth/quotes/${one}`, options)
    case 'depth-aggregates':
      return checked(symbol(target), (one) => `/v3/marketdata/stream/marketdepth/aggregates/${one}`, options)
    case 'option-quotes': {
      const list = split(target)
      if (!list.every((one) => SYMBOL.test(one)) || list.length === 0) return badSymbol(target)
      if (list.length > MAX_SYMBOLS) return refused(`at most ${MAX_SYMBOLS} symbols a stream`)
      const legs = list.map((one, leg) => `legs[${leg}].Symbol=${encodeURIComponent(one)}`).join('&')
      return checked('', () => `/v3/marketdata/stream/options/quotes?${legs}`, options)
    }
    case 'option-chains':
      return checked(symbol(target), (one) => `/v3/marketdata/stream/options/chains/${one}`, options)
    case 'orders':
      return checked(accounts(target), (list) => `/v3/brokerage/stream/accounts/${list}/orders`, options)
    case 'orders-by-id': {
      const [account = '', orders = '', ...more] = target.split('/')
      const ids = split(orders)
      if (more.length > 0 || ids.length === 0 || !ids.every((id) => ORDER.test(id))) {
        return refused('expected ACCOUNT/ORDER,ORDER')
      }
      return checked(
        accounts(account),
        (list) => `/v3/brokerage/stream/accounts/${list}/orders/${ids.join(',')}`,
        options,
      )
    }
    case 'positions':
      return checked(accounts(target), (list) => `/v3/brokerage/stream/accounts/${list}/positions`, options)
  }
}

const refused = (message: string): StreamPath => ({ ok: false, message })
const badSymbol = (target: string): StreamPath => refused(`“${target.slice(0, 60)}” is not a symbol`)

function split(list: string): string[] {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** Whether this is one symbol, fit for the path of a request. */
export const isSymbol = (text: string): boolean => SYMBOL.test(text) && !text.includes(',')

function symbol(target: string): string | StreamPath {
  const one = target.trim()
  return isSymbol(one) ? encodeURIComponent(one) : badSymbol(target)
}

function symbols(target: string): string | StreamPath {
  const list = split(target)
  if (list.length === 0 || !list.every((one) => SYMBOL.test(one))) return badSymbol(target)
  if (list.length > MAX_SYMBOLS) return refused(`at most ${MAX_SYMBOLS} symbols a stream`)
  return list.map(encodeURIComponent).join(',')
}

function accounts(target: string): string | StreamPath {
  const list = split(target)
  if (list.length === 0 || !list.every((one) => ACCOUNT.test(one))) {
    return refused(`“${target.slice(0, 60)}” is not an account id`)
  }
  if (list.length > MAX_ACCOUNTS) return refused(`at most ${MAX_ACCOUNTS} accounts a stream`)
  return list.join(',')
}

function checked(
  part: string | StreamPath,
  path: (part: string) => string,
  options: Readonly<Record<string, string>>,
): StreamPath {
  if (typeof part !== 'string') return part
  const names = Object.keys(options)
  const bad = names.find((name) => !OPTION_NAME.test(name))
  if (bad !== undefined) return refused(`“${bad.slice(0, 40)}” is not an option of this stream`)
  const broken = names.find((name) => !(options[name] ?? '').isWellFormed())
  if (broken !== undefined) return refused(`the value of “${broken}” is not text`)
  const query = names
    .map((name) => `${name}=${encodeURIComponent((options[name] ?? '').toWellFormed())}`)
    .join('&')
  const bare = path(part)
  if (query === '') return { ok: true, path: bare }
  return { ok: true, path: `${bare}${bare.includes('?') ? '&' : '?'}${query}` }
}
