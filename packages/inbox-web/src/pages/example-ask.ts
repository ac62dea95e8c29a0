// An example ask for the empty inbox. It exists only in this page: no answer is sent, and nothing runs.

import type { AskView } from '@assent/core'

export function exampleAsk(nowMs: number): AskView {
  return {
    id: 'example',
    headline: 'Deploy to production',
    asker: { server: 'example', tool: 'deploy', origin: 'an example, not a real server', undo: 'impossible' },
    onBehalfOf: { name: 'you', isYou: true },
    question: {
      kind: 'approval',
      title: 'Deploy to production',
      claim:
        'Release 4.2 fixes the login outage.\n\nThis box shows what the asker claims. Assent has not checked it. What will run is shown above.',
      action: {
        server: 'example',
        tool: 'deploy',
        arguments: [
          { name: 'env', value: 'production', shape: 'plain' },
          { name: 'region', value: 'eu', shape: 'plain' },
          { name: 'replicas', value: '4', shape: 'plain' },
        ],
      },
      json: '{\n  "server": "example",\n  "tool": "deploy",\n  "arguments": {\n    "env": "production",\n    "region": "eu",\n    "replicas": 4\n  }\n}',
      digest: '0000000000000000000000000000000000000000000000000000000000000000',
    },
    raisedAtMs: nowMs,
    decideByMs: nowMs + 600_000,
    answers: ['accept', 'decline', 'cancel'],
    commentReaches: 'asker',
    state: { kind: 'open' },
  }
}
