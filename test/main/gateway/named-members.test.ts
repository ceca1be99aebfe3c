import { expect, test } from 'vitest'
import { passedHeaders } from '../../../main/gateway/answer-relay.ts'
import { proves } from '../../proof/proves.ts'

const OWN = ['Via', '1.1 headroom', 'Proxy-Status', 'headroom; received-status=200']
const passed = (...rawHeaders: string[]) => passedHeaders({ status: 200, rawHeaders })

test.each([
  ['Proxy-Status', 'headroom; error=http_request_denied', undefined],
  ['proxy-status', 'HeadRoom;received-status=200', undefined],
  ['Proxy-Status', '"headroom"; error=connection_refused', undefined],
  ['Proxy-Status', '"head\\room"', undefined],
  [
    'Proxy-Status',
    ' edge; details="a, headroom; b",headroom ,  cdn;x=1',
    'edge; details="a, headroom; b",  cdn;x=1',
  ],
  [
    'Proxy-Status',
    'edge; details="say \\"x, headroom; y\\"", headroom',
    'edge; details="say \\"x, headroom; y\\""',
  ],
  ['Cache-Status', 'headroom; hit; detail=coalesced', undefined],
  ['CACHE-STATUS', 'headroom; hit, ExampleCache; hit', 'ExampleCache; hit'],
  ['Via', '1.1 headroom', undefined],
  [
    'via',
    'HTTP/1.1 Headroom:4791 (it (really, is)), 1.0 fred, 1.1 p.example (a, 1.1 headroom)',
    '1.0 fred, 1.1 p.example (a, 1.1 headroom)',
  ],
  ['Via', '1.1\theadroom(x)', undefined],
  // The string does not end, so it would include the member that follows.
  ['Proxy-Status', 'edge; details="', undefined],
  ['Via', '1.1 p.example (', undefined],
])('relays %s: %s as %s', (name, value, expected) => {
  expect(passed(name, value)).toEqual([...(expected === undefined ? [] : [name, expected]), ...OWN])
  proves('G6', { level: 2, cases: 1 })
})

test.each([
  ['Proxy-Status', 'headroom.example; received-status=200'],
  ['Proxy-Status', 'edge;  details="headroom" ,cdn'],
  ['Cache-Status', ' not-headroom;hit '],
  ['Via', '1.1 headroom-edge, 1.0 a (headroom)'],
  ['Server', 'headroom; hit'],
])('relays %s: %s unchanged', (name, value) => {
  expect(passed(name, value)).toEqual([name, value, ...OWN])
})

test('checks each of several fields of one name', () => {
  expect(
    passed('Via', '1.1 a', 'Proxy-Status', 'headroom', 'Via', '1.1 headroom', 'proxy-status', 'b'),
  ).toEqual([...['Via', '1.1 a', 'proxy-status', 'b'], ...OWN])
})
