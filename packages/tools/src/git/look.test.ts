import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { findGit } from './find-git.ts'
import { look } from './look.ts'
import { aFolder, aRepository, type Repository } from './repository.suite.ts'

const made: { remove(): void }[] = []
afterEach(() => {
  for (const one of made.splice(0)) one.remove()
})

function repository(): Repository {
  const one = aRepository()
  made.push(one)
  return one
}

describe('what is seen', () => {
  test('[GIT-1] the commits since the start and the uncommitted changes are read', async () => {
    const one = repository()
    const began = one.commit('begin')
    one.write('a.txt', 'a')
    const first = one.commit('first\n\nwith a body')
    one.write('b.txt', 'b')
    const second = one.commit('second')
    one.write('new file.txt', 'x')
    one.write('a.txt', 'changed')

    expect(await look(one.folder, { since: began })).toEqual({
      kind: 'seen',
      root: one.folder,
      head: { id: second, message: 'second' },
      changed: ['a.txt', 'new file.txt'],
      changedCount: 2,
      since: [
        { id: second, message: 'second' },
        { id: first, message: 'first\n\nwith a body' },
      ],
    })
  })

  test('[GIT-1] in a repository that had no commits, every later commit is read', async () => {
    const one = repository()
    expect(await look(one.folder, { since: '' })).toMatchObject({ kind: 'seen', changedCount: 0, since: [] })

    const first = one.commit('first')
    expect(await look(one.folder, { since: '' })).toMatchObject({ since: [{ id: first, message: 'first' }] })
  })

  test('[GIT-1] a start commit that no longer exists, or never did, is unknown', async () => {
    const one = repository()
    one.commit('first')
    for (const since of ['0'.repeat(40), 'main', '--output=x', 'HEAD~1']) {
      expect(await look(one.folder, { since })).not.toHaveProperty('since')
    }
  })

  test('[GIT-1] the folder of plans does not count as a change, whichever folder git runs in', async () => {
    const one = repository()
    mkdirSync(join(one.folder, 'plans'))
    mkdirSync(join(one.folder, 'src'))
    one.write('src/a.ts', '')
    one.commit('first')
    one.write('plans/x-complete.md', 'x')

    expect(await look(join(one.folder, 'src'), { besides: 'plans' })).toMatchObject({
      root: one.folder,
      changedCount: 0,
    })
    expect(await look(one.folder)).toMatchObject({ changedCount: 1 })
  })

  test('[GIT-2] what git cannot show is reported as unknown', async () => {
    const plain = aFolder()
    made.push(plain)
    expect(await look(plain.folder)).toMatchObject({
      kind: 'unseen',
      why: expect.stringContaining('not in a git repository'),
    })

    writeFileSync(join(plain.folder, '.git'), 'gitdir: /nowhere\n')
    expect(await look(plain.folder)).toMatchObject({ kind: 'unseen' })
  })
})

describe('the working tree', () => {
  test('[GIT-5] core.worktree of the repository does not move the root or the files that are compared', async () => {
    const one = repository()
    one.write('a.txt', 'a')
    one.commit('first')
    const outside = aFolder()
    made.push(outside)
    one.git('config', 'core.worktree', outside.folder)
    mkdirSync(join(one.folder, 'src'))

    for (const folder of [one.folder, join(one.folder, 'src')]) {
      expect(await look(folder)).toMatchObject({ kind: 'seen', root: one.folder, changedCount: 0 })
    }
  })

  test('[GIT-5] a linked working tree and a submodule are their own roots; a folder called .git that is not a repository is not skipped', async () => {
    const one = repository()
    one.commit('first')
    one.git('worktree', 'add', '-q', join(one.folder, 'linked'), '-b', 'other')
    expect(await look(join(one.folder, 'linked'))).toMatchObject({ kind: 'seen', root: join(one.folder, 'linked') })

    const other = repository()
    other.write('b.txt', 'b')
    other.commit('theirs')
    one.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', other.folder, 'module')
    const seen = await look(join(one.folder, 'module'))
    expect(seen).toMatchObject({ kind: 'seen', root: join(one.folder, 'module'), changedCount: 0 })
    expect(seen).toMatchObject({ head: { message: 'theirs' } })

    mkdirSync(join(one.folder, 'nothing', '.git'), { recursive: true })
    expect(await look(join(one.folder, 'nothing'))).toMatchObject({ kind: 'unseen' })
  })
})

/** A repository whose configuration names its own program wherever git would run one. */
function aTrap(): { one: Repository; hasRun: () => boolean; reset: () => void } {
  const one = repository()
  const outside = aFolder()
  made.push(outside)
  const witness = join(outside.folder, 'witness')
  const trap = join(one.folder, '.git', 'trap')
  writeFileSync(trap, `#!/bin/sh\ntouch '${witness}'\ncat\n`)
  chmodSync(trap, 0o755)
  one.write('.gitattributes', '* filter=trap\n')
  one.write('a.txt', 'a')
  one.commit('first')
  const hooks = join(one.folder, '.git', 'hooks')
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction', 'pre-auto-gc']) {
    symlinkSync(trap, join(hooks, hook))
  }
  const extra = join(one.folder, '.git', 'extra')
  const settings = {
    'core.fsmonitor': trap,
    'core.hooksPath': hooks,
    'core.pager': trap,
    'core.editor': trap,
    'core.sshCommand': trap,
    'core.askPass': trap,
    'pager.log': trap,
    'pager.status': trap,
    'log.showSignature': 'true',
    'gpg.program': trap,
    'diff.external': trap,
    'filter.trap.clean': trap,
    'filter.trap.smudge': trap,
    'filter.trap.required': 'true',
    'alias.status': `!${trap}`,
    'include.path': extra,
    'remote.origin.url': `ext::${trap}`,
    'remote.origin.promisor': 'true',
    'protocol.ext.allow': 'always',
  }
  for (const [name, value] of Object.entries(settings)) one.git('config', name, value)
  writeFileSync(extra, `[filter "later"]\n  process = ${trap}\n  clean = ${trap}\n`)
  writeFileSync(join(one.folder, '.gitattributes'), '*.txt filter=trap\n*.md filter=later\n')
  one.write('a.md', 'x')
  // Same size, another time: git has to read it, and would filter it, to find out whether it changed.
  one.write('a.txt', 'b')
  return { one, hasRun: () => existsSync(witness), reset: () => rmSync(witness, { force: true }) }
}

describe('what is run', () => {
  test('[GIT-3] nothing that a repository configures is run', async () => {
    const { one, hasRun, reset } = aTrap()
    reset()
    // Check the trap first: plain git runs it.
    one.git('status')
    expect(hasRun()).toBe(true)
    one.write('a.txt', 'c')
    reset()

    const seen = await look(one.folder, { since: '' })

    expect(seen).toMatchObject({ kind: 'seen', head: { message: 'first' } })
    expect(hasRun()).toBe(false)
  })

  test('[GIT-3] a filter whose name cannot be disabled is reported as unknown', async () => {
    const { one, hasRun, reset } = aTrap()
    writeFileSync(join(one.folder, '.git', 'extra'), '[filter "a=b"]\n  clean = .git/trap\n')
    writeFileSync(join(one.folder, '.gitattributes'), '* filter=a=b\n')
    reset()

    expect(await look(one.folder)).toMatchObject({ kind: 'unseen', why: expect.stringContaining('filters') })
    expect(hasRun()).toBe(false)
  })

  test('[GIT-3] a program called git in the project is never run', () => {
    const { one } = aTrap()
    const bin = join(one.folder, 'bin')
    const packages = join(one.folder, '..', `${one.folder}-other`, 'node_modules', '.bin')
    for (const folder of [bin, packages]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'git'), '#!/bin/sh\n')
      chmodSync(join(folder, 'git'), 0o755)
    }
    made.push({ remove: () => rmSync(join(packages, '..', '..'), { recursive: true }) })
    const real = findGit(one.folder)

    expect(real).toMatch(/git$/)
    expect(findGit(one.folder, { PATH: ['.', 'bin', bin, packages, process.env.PATH].join(':') })).toBe(real)
    expect(findGit(one.folder, { PATH: [bin, packages].join(':') })).toBeUndefined()
  })
})

test('[GIT-4] a git that does not answer is stopped after a timeout', async () => {
  const one = repository()
  one.commit('first')
  // Reading from a pipe without a writer blocks.
  one.git('config', 'include.path', join(one.folder, '.git', 'pipe'))
  const { execFileSync } = await import('node:child_process')
  execFileSync('mkfifo', [join(one.folder, '.git', 'pipe')])
  const began = performance.now()

  expect(await look(one.folder)).toMatchObject({ kind: 'unseen', why: expect.stringContaining('did not answer') })
  expect(performance.now() - began).toBeLessThan(60_000)
})
