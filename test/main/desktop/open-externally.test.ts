import { describe, expect, it } from 'vitest'
import { openExternally } from '../../../main/desktop/open-externally.ts'

const opened: string[] = []
const open = openExternally({ openExternal: async (url) => void opened.push(url) })

describe('the person’s browser', () => {
  it('is given web addresses, without TLS only those of this machine', async () => {
    const addresses = [
      'https://signin.example.test/authorize?x=1',
      'http://127.0.0.1:4790/authorize',
      'http://[::1]/',
    ]
    for (const address of addresses) await open(address)
    expect(opened).toEqual(addresses)
  })

  it('is given nothing else that a system would open', async () => {
    opened.length = 0
    for (const address of [
      '',
      'calc.exe',
      'file:///etc/passwd',
      'smb://server/share',
      'ms-settings:',
      'javascript:alert(1)',
      'data:text/html,x',
      'app://headroom/',
      'http://example.test/',
      'http://127.0.0.1.example.test/',
      'https://user:pass@example.test/',
    ])
      await expect([address, open(address)][1]).rejects.toThrow('no address that may be opened')
    expect(opened).toEqual([])
  })
})
