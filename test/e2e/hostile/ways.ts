export interface Target {
  readonly url: string
  /** A leaked bearer. The page sends it wherever that is possible. */
  readonly bearer: string
  /** The command's argument as JSON. */
  readonly body: string
}

/**
 * What the page learned. With 'unseen', the page can't know the result, so only the effect on the app counts.
 */
export type Got = 'read' | 'refused' | 'unseen'

/**
 * One way for a page to reach another origin. `run` is executed in the browser and can only use its
 * arguments.
 */
export interface Way {
  readonly name: string
  readonly run: (given: readonly [target: Target, detail: Detail]) => Promise<Got>
  readonly detail: Detail
}

type Detail = Readonly<Record<string, string>>

const way = (name: string, run: Way['run'], detail: Detail = {}): Way => ({ name, run, detail })

const fetched: Way['run'] = ([
  { url, bearer, body },
  { method = 'GET', mode = 'cors', type, bearing, keepalive },
]) =>
  fetch(url, {
    method,
    mode: mode === 'cors' ? 'cors' : 'no-cors',
    credentials: 'include',
    keepalive: keepalive !== undefined,
    headers: {
      ...(type !== undefined && { 'content-type': type }),
      ...(bearing !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    ...(method === 'POST' && { body }),
  }).then(
    () => 'read',
    () => 'refused',
  )

/**
 * An element that loads something. `detail` has its tag, the property for the address, and further
 * properties.
 */
const loaded: Way['run'] = ([{ url }, { tag = '', takes = '', ...others }]) =>
  new Promise((resolve) => {
    const element = Object.assign(document.createElement(tag), others)
    for (const name of ['load', 'loadeddata']) element.addEventListener(name, () => resolve('read'))
    element.addEventListener('error', () => resolve('refused'))
    Object.assign(element, { [takes]: url })
    document.body.append(element)
  })

const framed: Way['run'] = ([{ url }]) =>
  new Promise((resolve) => {
    const frame = document.createElement('iframe')
    // The browser's error page loads too. So the result depends on whether this page can read the frame's
    // document.
    frame.addEventListener('load', () => resolve(frame.contentDocument === null ? 'refused' : 'read'))
    frame.src = url
    document.body.append(frame)
  })

const formSent: Way['run'] = ([{ url, body }, { enctype = '' }]) =>
  new Promise((resolve) => {
    const frame = Object.assign(document.createElement('iframe'), { name: `f${Math.random()}` })
    document.body.append(frame)
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', action: url, target: frame.name, enctype })
    // With the type text/plain, a form sends `name=value`. Name and value are chosen so that the text is
    // valid JSON.
    const field = document.createElement('input')
    form.append(Object.assign(field, { name: body.replace(/}$/, ',"x":"'), value: '"}' }))
    document.body.append(form)
    frame.addEventListener('load', () => resolve(frame.contentDocument === null ? 'refused' : 'read'))
    form.submit()
  })

export const WAYS_TO_GET: readonly Way[] = [
  way('fetch with CORS', fetched),
  way('fetch without CORS', fetched, { mode: 'no-cors' }),
  way('fetch with the bearer', fetched, { bearing: 'yes' }),
  way(
    'an XMLHttpRequest',
    ([{ url }]) =>
      new Promise((resolve) => {
        const request = new XMLHttpRequest()
        request.open('GET', url)
        request.withCredentials = true
        request.onload = () => resolve('read')
        request.onerror = () => resolve('refused')
        request.send()
      }),
  ),
  way(
    'an EventSource',
    ([{ url }]) =>
      new Promise((resolve) => {
        const source = new EventSource(url, { withCredentials: true })
        source.onopen = () => resolve('read')
        source.onerror = () => {
          source.close()
          resolve('refused')
        }
      }),
  ),
  way(
    'a WebSocket',
    ([{ url }]) =>
      new Promise((resolve) => {
        const socket = new WebSocket(url.replace(/^http/, 'ws'))
        socket.onopen = () => resolve('read')
        socket.onerror = () => resolve('refused')
      }),
  ),
  way('an image', loaded, { tag: 'img', takes: 'src' }),
  way('a script', loaded, { tag: 'script', takes: 'src' }),
  way('a module', loaded, { tag: 'script', takes: 'src', type: 'module' }),
  way('a script with credentials', loaded, { tag: 'script', takes: 'src', crossOrigin: 'use-credentials' }),
  way('a style sheet', loaded, { tag: 'link', takes: 'href', rel: 'stylesheet' }),
  way('a preload', loaded, { tag: 'link', takes: 'href', rel: 'preload', as: 'fetch' }),
  way('a module preload', loaded, { tag: 'link', takes: 'href', rel: 'modulepreload' }),
  way('a prefetch', loaded, { tag: 'link', takes: 'href', rel: 'prefetch' }),
  way('a video', loaded, { tag: 'video', takes: 'src' }),
  way('a sound', loaded, { tag: 'audio', takes: 'src' }),
  way('a plug-in', loaded, { tag: 'object', takes: 'data' }),
  way('a frame', framed),
  way('a font', ([{ url }]) =>
    new FontFace('theirs', `url(${url})`).load().then(
      () => 'read',
      () => 'refused',
    ),
  ),
  way(
    'a worker of theirs that imports it',
    ([{ url }]) =>
      new Promise((resolve) => {
        const worker = new Worker(`/worker?imports=${encodeURIComponent(url)}`)
        worker.onmessage = () => resolve('read')
        worker.onerror = () => resolve('refused')
      }),
  ),
  way('a worker', async ([{ url }]) => {
    try {
      new Worker(url)
      return 'read'
    } catch {
      return 'refused'
    }
  }),
  way('a service worker', async ([{ url }]) =>
    // Only secure pages have service workers. Pages on addresses of this machine are secure, pages on a
    // rebound name are not.
    !('serviceWorker' in navigator)
      ? 'refused'
      : navigator.serviceWorker.register(url).then(
          () => 'read',
          () => 'refused',
        ),
  ),
]

const TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']

export const WAYS_TO_POST: readonly Way[] = [
  ...TYPES.flatMap((type) => [
    way(`fetch of ${type} with the bearer`, fetched, { method: 'POST', type, bearing: 'yes' }),
    way(`fetch of ${type} without CORS`, fetched, { method: 'POST', mode: 'no-cors', type }),
  ]),
  way('a simple fetch', fetched, { method: 'POST' }),
  way('a fetch that outlives its page', fetched, { method: 'POST', mode: 'no-cors', keepalive: 'yes' }),
  ...TYPES.slice(1).map((enctype) => way(`a form of ${enctype}`, formSent, { enctype })),
  ...TYPES.slice(0, 2).map((type) =>
    way(
      `a beacon of ${type}`,
      async ([{ url, body }, detail]) => {
        navigator.sendBeacon(url, new Blob([body], { type: detail['type'] ?? '' }))
        return 'unseen'
      },
      { type },
    ),
  ),
  way('the ping of a link', async ([{ url }]) => {
    Object.assign(document.createElement('a'), { href: '#', ping: url }).click()
    return 'unseen'
  }),
]
