import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { projectFolder } from '../desktop/builder-config.ts'

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8')
const security = read('.github/SECURITY.md')

/** Files of npm, of Electron's runtime and of the build, which are not in the data folder. */
const ELSEWHERE = ['package.json', 'checksums.json', 'bundled-packages.json']

test('the table of the data folder names every file that main writes there', () => {
  const main = join(projectFolder, 'main')
  const sources = readdirSync(main, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const named = sources.flatMap((name) => {
    const source = readFileSync(join(main, name), 'utf8')
    const whole = [...source.matchAll(/'([a-z][\w.-]*\.(?:json|db|log|sock))'/g)].map(([, file]) => file)
    // Files of main/storage's `JsonFile`, which adds the extension itself.
    const ofToolbox = [...source.matchAll(/new JsonFile\(\{[^}]*name: '([\w-]+)'/g)].map(
      ([, file]) => `${file}.json`,
    )
    return [...whole, ...ofToolbox]
  })
  const files = new Set(named.filter((file) => file !== undefined && !ELSEWHERE.includes(file)))
  expect(files.size).toBeGreaterThan(10)
  expect([...files].filter((file) => !security.includes(`\`${file}\``))).toEqual([])
})

const FOLDERS = ['.', '.github', 'app', 'main', 'renderer', 'test']
/** The documents that people write; the pages in `test/` are generated. */
const documents = FOLDERS.flatMap((folder) =>
  readdirSync(join(projectFolder, folder), { recursive: folder !== '.', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^(?:PROMISES|TRUTH|TRUTH-LIVE|BENCH|PLANS)\.md$/.test(name))
    .map((name) => join(folder, name)),
).filter((path) => !path.includes('node_modules'))

/** The anchors of a document's headings, as GitHub writes them. */
function anchorsOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\d\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(documents)('%s: every linked file and heading of the repository exists', (path) => {
  const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
  const dead = links.filter(([, target = '', anchor]) => {
    const file = target === '' ? path : join(dirname(path), target)
    if (!existsSync(join(projectFolder, file))) return true
    return anchor !== undefined && !anchorsOf(read(file)).includes(anchor)
  })
  expect(dead.map(([link]) => link)).toEqual([])
})

const sourceFiles = FOLDERS.slice(2).flatMap((folder) =>
  readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' }).map(
    (name) => `/${join(folder, name)}`,
  ),
)

test.each(documents)('%s: every named source file exists', (path) => {
  const named = [...read(path).matchAll(/`([\w./-]*\w\.(?:tsx?|css))`/g)].map(([, file = '']) => file)
  expect(named.filter((file) => !sourceFiles.some((one) => one.endsWith(`/${file}`)))).toEqual([])
})

test.each(documents)('%s: every named npm script exists', (path) => {
  const { scripts } = JSON.parse(read('package.json'))
  const named = [...read(path).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => script)
  expect(named.filter((script) => !(script in scripts))).toEqual([])
})

test('the README is short, and links to the table of changes for programs', () => {
  const readme = read('README.md')
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  expect(readme).toContain('[table of changes](.github/CHANGELOG.md#table-of-changes)')
})

test('every command of the README is a subcommand of the program', () => {
  const commands = [...read('README.md').matchAll(/· `headroom ([\w-]+)`/g)].map(
    ([, command = '']) => command,
  )
  expect(commands.length).toBe(11)
  const program = ['program', 'program-flags']
    .map((file) => read(`main/hosts/terminal/${file}.ts`))
    .join('\n')
  expect(commands.filter((command) => !program.includes(`command('${command}'`))).toEqual([])
})
