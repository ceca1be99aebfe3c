import { fieldsOf, jsonOf } from '../../app/service/json.ts'
import {
  type AskedAccounts,
  pageOf,
  readAccounts,
  readBars,
  readOrderIds,
  readPage,
  readSince,
  readSpreadType,
  readSymbolFilter,
  readSymbols,
  whenRead,
} from './resource-params.ts'
import type { OrderBook } from './rules/order-book.ts'
import { accounts, balance, balanceAtOpen, order, orderIds, positions } from './rules/payloads-brokerage.ts'
import {
  bars,
  invalidSymbol,
  type Payload,
  quote,
  symbolDetail,
  UNKNOWN_SYMBOL,
} from './rules/payloads-market.ts'
import { expirations, riskReward, spreadTypes, strikes } from './rules/payloads-options.ts'
import { type Answer, errorAnswer, jsonAnswer } from './wire.ts'

export interface ResourceRequest {
  readonly seed: number
  readonly atMs: number
  readonly book: OrderBook
  /** The decoded variable parts of the path. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
  readonly body: string
}

export interface Resource {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  answer(asked: ResourceRequest): Answer
}

const get = (path: RegExp, answer: Resource['answer']): Resource => ({ method: 'GET', path, answer })

const perAccount =
  (name: string, of: (asked: ResourceRequest, account: string) => readonly Payload[]) =>
  (asked: ResourceRequest) =>
    whenRead(readAccounts(asked.parts[0] ?? ''), ({ known, unknown }: AskedAccounts) =>
      jsonAnswer(200, {
        [name]: known.flatMap((account) => of(asked, account)),
        Errors: notFound(unknown),
      }),
    )

const ordersOf = ({ seed, atMs }: ResourceRequest, account: string): readonly Payload[] =>
  orderIds(seed, account).map((id) => order(seed, account, id, atMs))

/** The orders that programs placed, newest first, then the orders of the simulated day. */
const todaysOrdersOf = (asked: ResourceRequest, account: string): readonly Payload[] => [
  ...asked.book.ordersOf(account, asked.atMs),
  ...ordersOf(asked, account),
]

/** The orders of all requested accounts, one account after the other, in pages (`pageSize`, `nextToken`). */
const pagedOrders = (asked: ResourceRequest, of: typeof ordersOf): Answer =>
  whenRead(readAccounts(asked.parts[0] ?? ''), ({ known, unknown }) =>
    whenRead(readPage(asked.query), (page) => {
      const { items, nextToken } = pageOf(
        known.flatMap((account) => of(asked, account)),
        page,
      )
      return jsonAnswer(200, {
        Orders: items,
        Errors: notFound(unknown),
        ...(nextToken === undefined ? {} : { NextToken: nextToken }),
      })
    }),
  )

const notFound = (accountIds: readonly string[]) =>
  accountIds.map((id) => ({ AccountID: id, Error: 'NotFound', Message: 'Account not found.' }))

const ordersById = (asked: ResourceRequest): Answer =>
  whenRead(readOrderIds(asked.parts[1] ?? ''), (ids) =>
    perAccount('Orders', ({ seed, atMs, book }, account) =>
      ids.flatMap((id) =>
        book.has(id) ? book.named(account, [id], atMs) : [order(seed, account, id, atMs)],
      ),
    )(asked),
  )

const ofUnderlying =
  (of: (asked: ResourceRequest, underlying: string) => Payload) => (asked: ResourceRequest) =>
    whenRead(readSymbols(asked.parts[0] ?? ''), ([underlying = '']) =>
      underlying === UNKNOWN_SYMBOL
        ? errorAnswer(404, 'NotFound', 'EX_INVALID_SYMBOL')
        : jsonAnswer(200, of(asked, underlying)),
    )

/** The resources that give a single answer (service 11). */
export const RESOURCES: readonly Resource[] = [
  get(/^\/v3\/brokerage\/accounts$/, () => jsonAnswer(200, { Accounts: accounts() })),
  get(
    /^\/v3\/brokerage\/accounts\/([^/]+)\/balances$/,
    perAccount('Balances', ({ seed, atMs }, account) => [balance(seed, account, atMs)]),
  ),
  get(
    /^\/v3\/brokerage\/accounts\/([^/]+)\/bodbalances$/,
    perAccount('BODBalances', ({ seed, atMs }, account) => [balanceAtOpen(seed, account, atMs)]),
  ),
  get(/^\/v3\/brokerage\/accounts\/([^/]+)\/positions$/, (asked) =>
    whenRead(readSymbolFilter(asked.query), (wanted) =>
      perAccount('Positions', ({ seed, atMs }, account) =>
        positions(seed, account, atMs).filter(({ Symbol: symbol }) => wanted(String(symbol))),
      )(asked),
    ),
  ),
  get(/^\/v3\/brokerage\/accounts\/([^/]+)\/orders$/, (asked) => pagedOrders(asked, todaysOrdersOf)),
  get(/^\/v3\/brokerage\/accounts\/([^/]+)\/orders\/([^/]+)$/, ordersById),
  get(/^\/v3\/brokerage\/accounts\/([^/]+)\/historicalorders$/, (asked) =>
    whenRead(readSince(asked.query), () => pagedOrders(asked, ordersOf)),
  ),
  get(/^\/v3\/brokerage\/accounts\/([^/]+)\/historicalorders\/([^/]+)$/, (asked) =>
    whenRead(readSince(asked.query), () => ordersById(asked)),
  ),
  get(/^\/v3\/marketdata\/quotes\/([^/]+)$/, ({ seed, atMs, parts }) =>
    whenRead(readSymbols(parts[0] ?? ''), (symbols) =>
      jsonAnswer(200, {
        Quotes: symbols.filter((name) => name !== UNKNOWN_SYMBOL).map((name) => quote(seed, name, atMs)),
        Errors: symbols.filter((name) => name === UNKNOWN_SYMBOL).map((name) => invalidSymbol(name)),
      }),
    ),
  ),
  get(
    /^\/v3\/marketdata\/options\/expirations\/([^/]+)$/,
    ofUnderlying(({ atMs }) => expirations(atMs)),
  ),
  get(/^\/v3\/marketdata\/options\/strikes\/([^/]+)$/, (asked) =>
    whenRead(readSpreadType(asked.query), (spreadType) =>
      ofUnderlying(({ seed, atMs }, underlying) => strikes(seed, underlying, spreadType, atMs))(asked),
    ),
  ),
  get(/^\/v3\/marketdata\/options\/spreadtypes$/, () => jsonAnswer(200, spreadTypes())),
  { method: 'POST', path: /^\/v3\/marketdata\/options\/riskreward$/, answer: answerRiskReward },
]

/**
 * Resources that belong to no row of service 8.2. They have no quota, and their answers have no quota
 * headers.
 *
 * On the real service, requests for bars are limited by history credits (service 13).
 */
export const UNCOUNTED_RESOURCES: readonly Resource[] = [
  get(/^\/v3\/marketdata\/barcharts\/([^/]+)$/, (asked) =>
    whenRead(readBars(asked.query, asked.atMs), ({ unit, interval, count, untilMs }) =>
      ofUnderlying(({ seed }, symbol) => ({ Bars: bars(seed, symbol, unit, interval, count, untilMs) }))(
        asked,
      ),
    ),
  ),
  get(/^\/v3\/marketdata\/symbols\/([^/]+)$/, ({ parts }) =>
    whenRead(readSymbols(parts[0] ?? ''), (symbols) =>
      jsonAnswer(200, {
        Symbols: symbols.filter((name) => name !== UNKNOWN_SYMBOL).map(symbolDetail),
        Errors: symbols
          .filter((name) => name === UNKNOWN_SYMBOL)
          .map((name) => ({ Symbol: name, Message: 'The symbol is not known.' })),
      }),
    ),
  ),
]

function answerRiskReward({ seed, body }: ResourceRequest): Answer {
  const { Legs: legs, SpreadPrice } = fieldsOf(jsonOf(body)) ?? {}
  const price = Number(SpreadPrice)
  if (!Array.isArray(legs) || legs.length === 0 || !Number.isFinite(price)) {
    return errorAnswer(400, 'BadRequest', 'SpreadPrice and Legs are required.')
  }
  return jsonAnswer(200, riskReward(seed, price, JSON.stringify(legs)))
}
