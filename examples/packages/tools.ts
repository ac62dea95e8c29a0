import { assentTools } from '@assent/tools'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

// Plans and commits are checked in this folder's git repository.
serveStdio(assentTools({ folder: process.cwd() }))
