import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

/**
 * The built window, read once at start.
 *
 * A request is looked up in this list as it came, undecoded: a path that is not in it has no meaning, so there is
 * no path to escape from the folder with.
 */
export interface WindowFiles {
  /** `path` begins with a slash and has no query. */
  find(path: string): WindowFile | undefined
  /** The page itself, with the nonce its own style elements carry. */
  page(nonce: string): string
}

export interface WindowFile {
  readonly bytes: Buffer
  readonly contentType: string
  readonly cacheControl: string
}

const PAGE = '/index.html'
const NONCE_MARK = '__CSP_NONCE__'
/** Where Vite puts the files that carry a hash of their content in their name. */
const HASHED = /^\/assets\/.+-[\w-]{8,}\.\w+$/

export const PAGE_CONTENT_TYPE = 'text/html; charset=utf-8'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': PAGE_CONTENT_TYPE,
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** Throws when the folder holds no built window. */
export function readWindowFiles(folder: string): WindowFiles {
  const files = new Map<string, WindowFile>()
  for (const path of pathsIn(folder, '/')) {
    const contentType = CONTENT_TYPES[extname(path)]
    // Source maps and whatever else a build leaves behind are not part of the window.
    if (contentType === undefined) continue
    const cacheControl = HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
    files.set(path, { bytes: readFileSync(join(folder, path)), contentType, cacheControl })
  }
  const page = files.get(PAGE)?.bytes.toString('utf8')
  if (page === undefined) throw new Error(`no window in ${folder}: run npm run build`)
  files.delete(PAGE)
  return {
    find: (path) => files.get(path),
    page: (nonce) => page.replaceAll(NONCE_MARK, nonce),
  }
}

export const isPage = (path: string): boolean => path === '/' || path === PAGE

/** Level by level: inside Electron's archive `readdir` knows no recursion. */
function* pathsIn(folder: string, at: string): Generator<string> {
  for (const entry of listFolder(join(folder, at))) {
    if (entry.isDirectory()) yield* pathsIn(folder, `${at}${entry.name}/`)
    // A symbolic link is neither: it could lead out of the folder.
    else if (entry.isFile()) yield `${at}${entry.name}`
  }
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
