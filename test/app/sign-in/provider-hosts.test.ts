import { expect, test } from 'vitest'
import { isLive } from '../../../app/sign-in/provider-hosts.ts'

test.each([
  'https://api.tradestation.com',
  'https://api.tradestation.com.',
  'https://API.TradeStation.com.:443/',
  'https://api.tradestation.com:8443',
  'http://api.tradestation.com.:443',
  'https://api%2Etradestation.com%2e',
  'https://api\u3002tradestation\uff0ecom\uff61',
  'https://user@api.tradestation.com..',
])('the host of %s is LIVE', (url) => {
  expect(isLive('custom', new URL(url).host)).toBe(true)
})

test.each([
  'https://sim-api.tradestation.com.',
  'https://api.tradestation.com.test',
  'https://api-tradestation.com',
  'https://my.api.tradestation.com',
])('the host of %s isn’t LIVE, unless its key is', (url) => {
  const { host } = new URL(url)
  expect([isLive('custom', host), isLive('sim', host), isLive('live', host)]).toEqual([false, false, true])
})
