import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { proves } from '../proof/proves.ts'
import { builderConfigFile, fusesOf, projectFolder, readBuilderConfig, validate } from './builder-config.ts'

const text = (path: string) => readFileSync(join(projectFolder, path), 'utf8')

describe('the packages', () => {
  const config = readBuilderConfig()

  it('are described in a form that electron-builder accepts, which rejects unknown fields', () => {
    validate(builderConfigFile())
    expect(() => validate({ ...config, electronFuzes: {} })).toThrow('electronFuzes')
    expect(() => validate({ ...config, win: { ...config.win, icons: 'x' } })).toThrow('configuration.win')
    // The time limit is long, because each validation compiles the whole schema.
  }, 90_000)

  it('close every interface that the app does not need', () => {
    expect(config.electronFuses).toEqual({
      runAsNode: false,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      grantFileProtocolExtraPrivileges: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
      enableCookieEncryption: true,
      loadBrowserProcessSpecificV8Snapshot: false,
      resetAdHocDarwinSignature: true,
    })
    expect(config['asar']).toBe(true)
    proves('W1', { level: 1, cases: 1 })
  })

  it('are deb and an archive, NSIS and dmg, with an icon and a category each', () => {
    // No AppImage: where it can't set up Chromium's sandbox, it starts without it, silently.
    expect(config.linux.target).toEqual(['deb', 'tar.gz'])
    expect(config.win['target']).toBe('nsis')
    expect(config.mac['target']).toEqual(['dmg', 'zip'])
    for (const { icon } of [config.linux, config.win, config.mac])
      expect([icon, existsSync(join(projectFolder, icon))]).toEqual([icon, true])
    expect([config.linux.category, config.mac.category]).toEqual(['Office', 'public.app-category.finance'])
  })

  it('contain what the app starts from, under the id that it runs with', () => {
    const { main } = JSON.parse(text('package.json')) as { main: string }
    expect(main).toBe('dist/desktop/main.js')
    expect(config.files).toContain('dist/desktop/**')
    expect(config.files).toContain('dist/window/**')
    expect(text('main/hosts/desktop/start-desktop.ts')).toContain(`'${config.appId}'`)
  })

  it('list their fuses, by the names of the configuration', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'headroom-fuses-'))
    const executable = join(folder, 'headroom')
    try {
      // Electron's own tool searches for this mark. After it come a version, the number of fuses, and the
      // state of each fuse.
      const wire = Buffer.from([1, 8, ...Buffer.from('01001100')])
      const mark = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
      writeFileSync(executable, Buffer.concat([Buffer.from(`\0${mark}`), wire, Buffer.alloc(64)]))
      const { resetAdHocDarwinSignature: _, ...wanted } = config.electronFuses
      expect(await fusesOf(executable)).toEqual(wanted)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('are signed with the environment’s credentials, and never from a file', () => {
    // An identity, a certificate or a password in this configuration would be in the repository.
    expect(JSON.stringify(config)).not.toMatch(/certificate|identity|password|teamId|cscLink/i)
  })
})
