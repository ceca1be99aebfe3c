import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'
import { temporaryFolder } from '../main/storage/temporary-folder.ts'
import { proves } from '../proof/proves.ts'
import { type BuiltPackage, buildPackage, manifestIn } from './built-package.ts'

const onLinux = process.platform === 'linux'
const text = (path: string) => readFileSync(join(projectFolder, path), 'utf8')

describe.skipIf(!onLinux)('a package for Linux', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-package-'))
  let built: BuiltPackage

  beforeAll(async () => {
    built = await buildPackage(folder)
  }, 180_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('contains the bundles and nothing else', () => {
    expect(built.archived).toContain('/dist/desktop/main.js')
    expect(built.archived).toContain('/dist/desktop/preload.cjs')
    expect(built.archived).toContain('/dist/window/index.html')
    expect(built.archived.filter((path) => path.includes('node_modules'))).toEqual([])
    const elsewhere = /^\/(package\.json|dist(\/(desktop|window)(\/.*)?)?)$/
    expect(built.archived.filter((path) => !elsewhere.test(path))).toEqual([])
    // There are several files, because each dialog, menu and page is a chunk with its own style sheet.
    expect(built.archived.length).toBeLessThan(100)
    proves('P1', { level: 3, cases: built.archived.length })
  })

  it('imports only what it contains', () => {
    const imported = [...text('dist/desktop/main.js').matchAll(/^import .*?from "([^".][^"]*)";$/gm)]
    const modules = imported.map(([, name]) => name ?? '')
    expect(modules).toContain('electron')
    expect(modules.filter((name) => name !== 'electron' && !name.startsWith('node:'))).toEqual([])
    proves('P1', { level: 3, cases: modules.length })
  })

  it('has its licence and those of its contents, and no feed of updates', () => {
    expect(readFileSync(join(built.resources, 'LICENSE.txt'), 'utf8')).toBe(text('LICENSE'))
    expect(readFileSync(join(built.resources, 'THIRD_PARTY_NOTICES.md'), 'utf8')).toBe(
      text('dist/THIRD_PARTY_NOTICES.md'),
    )
    expect(existsSync(join(built.resources, 'app-update.yml'))).toBe(false)
    proves('P1', { level: 3, cases: 3 })
  })

  it('is a deb without a repository on the network', () => {
    const homepage = built.fpmArguments[built.fpmArguments.indexOf('--url') + 1]
    expect(homepage).toBe('file:///usr/share/doc/headroom/')
    for (const installed of ['copyright', 'README.md', 'THIRD_PARTY_NOTICES.md']) {
      const [source] = built.fpmArguments
        .filter((argument) => argument.endsWith(`=/usr/share/doc/headroom/${installed}`))
        .map((argument) => argument.split('=')[0] ?? '')
      expect([installed, existsSync(join(projectFolder, source ?? ''))]).toEqual([installed, true])
    }
    expect(built.fpmArguments).toContain('--before-remove=main/packaging/before-remove.sh')
  })

  it('has an entry in the menu that its windows belong to', () => {
    const { desktopName } = JSON.parse(text('package.json')) as { desktopName: string }
    // Electron names its windows after `desktopName`, without the ending.
    expect(built.desktopEntry).toMatch(/^StartupWMClass=headroom$/m)
    expect(desktopName).toBe('headroom.desktop')
    expect(built.desktopEntry).toMatch(/^Name=Headroom$/m)
    expect(built.desktopEntry).not.toContain('--no-sandbox')
    expect(built.fpmArguments.some((it) => it.endsWith(`=/usr/share/applications/${desktopName}`))).toBe(true)
  })
})

describe.skipIf(!onLinux)('a package that the release workflow builds', () => {
  it('includes the feed of its repository', async () => {
    // The options of the workflow, with values for GitHub's variables.
    const { GITHUB_SERVER_URL, ...github } = {
      GITHUB_SERVER_URL: 'https://code.example',
      GITHUB_REPOSITORY_OWNER: 'us',
      GITHUB_REPOSITORY: 'us/headroom',
    }
    const options = [
      ...text('.github/workflows/release.yml').matchAll(/^ +(-c\.\S+=)"?([^"\n\\ ]+)"?/gm),
    ].map(
      ([, option = '', value = '']) =>
        option +
        value
          .replace(/\$\{GITHUB_REPOSITORY#.*\}/, 'headroom')
          .replace('$GITHUB_SERVER_URL', GITHUB_SERVER_URL)
          .replace(/\$(GITHUB_\w+)/, (_, name: keyof typeof github) => github[name]),
    )
    expect(options).toContain('-c.publish.owner=us')
    const { resources, fpmArguments } = await buildPackage(temporaryFolder(), options)
    const feed = readFileSync(join(resources, 'app-update.yml'), 'utf8')
    expect(feed).toMatch(/^provider: github$/m)
    expect(feed).toMatch(/^owner: us$/m)
    expect(feed).toMatch(/^repo: headroom$/m)
    const homepage = 'https://code.example/us/headroom'
    expect(fpmArguments[fpmArguments.indexOf('--url') + 1]).toBe(homepage)
    expect(manifestIn(resources)).toMatchObject({ homepage })
    proves('P4', { level: 3, cases: 1 })
  }, 180_000)
})

describe.skipIf(!onLinux)('removing the package', () => {
  /** Runs the script with two accounts, one of which has the entry. */
  function remove(how: string): { entry: string; other: string; asked: string } {
    const folder = temporaryFolder()
    const homes = ['anna', 'ben'].map((name) => join(folder, name))
    const autostart = (home: string) => join(home, '.config/autostart')
    for (const home of homes) mkdirSync(autostart(home), { recursive: true })
    const entry = join(autostart(homes[0] ?? ''), 'headroom.desktop')
    const other = join(autostart(homes[1] ?? ''), 'other.desktop')
    for (const file of [entry, other]) writeFileSync(file, '[Desktop Entry]\n')
    const asked = join(folder, 'asked.txt')
    const tool = (name: string, script: string) => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(folder, name), 0o755)
    }
    tool('getent', `printf 'anna:x:1000:1000::${homes[0]}:/bin/sh\\nben:x:1001:1001::${homes[1]}:/bin/sh\\n'`)
    tool('runuser', `printf '%s ' "$@" >> '${asked}'; shift 3; exec "$@"`)
    execFileSync(join(projectFolder, 'main/packaging/before-remove.sh'), [how], {
      env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    })
    return { entry, other, asked: existsSync(asked) ? readFileSync(asked, 'utf8') : '' }
  }

  test('removes "Start at Login", as the account that set it, and touches nothing else', () => {
    const { entry, other, asked } = remove('remove')
    expect(existsSync(entry)).toBe(false)
    expect(existsSync(other)).toBe(true)
    expect(asked).toBe(`-u anna -- rm -f -- ${entry} `)
    proves('P2', { level: 3, cases: 1 })
  })

  test('leaves it if the package is only replaced by a newer one', () => {
    expect(existsSync(remove('upgrade').entry)).toBe(true)
    proves('P2', { level: 3, cases: 1 })
  })
})

test('removing it from Windows deletes the value that Electron wrote', () => {
  const appId = /^const APP_ID = '(.+)'$/m.exec(text('main/hosts/desktop/start-desktop.ts'))?.[1]
  const script = text('main/packaging/installer.nsh')
  const run = 'Software\\Microsoft\\Windows\\CurrentVersion'
  expect(script).toContain(`DeleteRegValue HKCU "${run}\\Run" "${appId}"`)
  expect(script).toContain(`DeleteRegValue HKCU "${run}\\Explorer\\StartupApproved\\Run" "${appId}"`)
  // An update runs the uninstaller of the old version too.
  expect(script).toMatch(/\$\{ifNot\} \$\{isUpdated\}/)
  proves('P2', { level: 1, cases: 2 })
})
