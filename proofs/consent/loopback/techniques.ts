// What a page on another port does in the browser of a person who is signed in, as scripts of that page. Each is a function
// of the inbox's origin, the id of an ask and the body of an acceptance, and returns whatever it could read.

export const techniques: Readonly<Record<string, string>> = {
  'fetch of the list': "async (to) => (await fetch(to + '/api/asks', { credentials: 'include' })).text()",
  'fetch of the card': "async (to, id) => (await fetch(to + '/api/asks/' + id, { credentials: 'include' })).text()",
  'fetch without CORS':
    "async (to) => (await fetch(to + '/api/asks', { credentials: 'include', mode: 'no-cors' })).text()",
  'fetch of a page': "async (to) => (await fetch(to + '/', { credentials: 'include' })).text()",
  'fetch of the metrics': "async (to) => (await fetch(to + '/metrics')).text()",
  XMLHttpRequest: `(to) => new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.onloadend = () => resolve(request.responseText)
    request.open('GET', to + '/api/asks')
    request.withCredentials = true
    request.send()
  })`,
  EventSource: `async (to) => {
    const source = new EventSource(to + '/api/changes', { withCredentials: true })
    let received = ''
    for (const name of ['message', 'ask', 'now', 'anew']) source.addEventListener(name, (event) => { received += event.data + event.type })
    await sleep(500)
    source.close()
    return received
  }`,
  'POST as plain text': post("{ mode: 'no-cors', body }"),
  'POST as a form': post("{ mode: 'no-cors', body, headers: { 'content-type': 'application/x-www-form-urlencoded' } }"),
  'POST as multipart': post(
    "{ mode: 'no-cors', body: (() => { const form = new FormData(); form.append('answer', body); return form })() }",
  ),
  'POST without a type': post('{ mode: "no-cors", body: new Blob([body]) }'),
  'POST as JSON': post("{ body, headers: { 'content-type': 'application/json' } }"),
  'POST with our header': post("{ body, headers: { 'content-type': 'application/json', 'assent-inbox': '1' } }"),
  beacon: `async (to, id, body) => {
    navigator.sendBeacon(to + '/api/asks/' + id + '/answer', new Blob([body], { type: 'text/plain' }))
    await sleep(300)
    return ''
  }`,
  'form that posts JSON': `async (to, id, body) => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    frame.name = 'sink' + Math.random()
    const form = document.body.appendChild(document.createElement('form'))
    Object.assign(form, { action: to + '/api/asks/' + id + '/answer', method: 'POST', enctype: 'text/plain', target: frame.name })
    const input = form.appendChild(document.createElement('input'))
    input.name = body.slice(0, -1) + ',"x":"'
    input.value = '"}'
    form.submit()
    await sleep(500)
    return frame.contentDocument?.body.innerText ?? ''
  }`,
  script: element("'script'", "{ src: to + '/api/asks' }"),
  image: element("'img'", "{ src: to + '/api/asks' }"),
  stylesheet: element("'link'", "{ rel: 'stylesheet', href: to + '/api/asks' }"),
  frame: `async (to) => {
    const frame = document.body.appendChild(document.createElement('iframe'))
    Object.assign(frame, { src: to + '/', width: 1000, height: 700 })
    await sleep(800)
    return frame.contentDocument?.body.innerText ?? ''
  }`,
  object: `async (to) => {
    const object = document.body.appendChild(document.createElement('object'))
    Object.assign(object, { data: to + '/', width: 1000, height: 700 })
    await sleep(800)
    return object.contentDocument?.body.innerText ?? ''
  }`,
  popup: `async (to) => {
    const opened = open(to + '/', '_blank')
    await sleep(800)
    return opened.document.body.innerText
  }`,
}

function post(init: string): string {
  return `async (to, id, body) =>
    (await fetch(to + '/api/asks/' + id + '/answer', { method: 'POST', credentials: 'include', ...${init} })).text()`
}

function element(name: string, attributes: string): string {
  return `(to) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(${name}), ${attributes})
    element.onload = () => resolve([...document.scripts].map((one) => one.innerText).join())
    element.onerror = () => resolve('')
    document.head.appendChild(element)
  })`
}

/** A script that runs one of them and catches its errors. */
export function scriptOf(technique: string, ...given: readonly string[]): string {
  return `(async () => {
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
    try {
      return String(await (${technique})(${given.map((one) => JSON.stringify(one)).join(', ')}))
    } catch {
      return ''
    }
  })()`
}
