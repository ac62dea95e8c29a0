// Parameters, bodies and responses that several paths of the OpenAPI document have.

import { refer } from './api-schemas.ts'
import { oneOf, textSchema } from './json-schema.ts'

const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
const problem = (description: string) => json(description, refer('Problem'))
const query = (name: string, schema: object, description: string) => ({ name, in: 'query', schema, description })
const id = { name: 'id', in: 'path', required: true, schema: textSchema }
const page = { ...id, name: 'page' }
const ownHeader = { name: 'assent-inbox', in: 'header', required: true, schema: { const: '1' } }
const filters = [
  query('server', textSchema, 'Only asks of this server.'),
  query('kind', oneOf('form', 'url', 'approval'), 'Only questions of this kind.'),
  query('agent', textSchema, 'Only asks that came from the program with this name.'),
  query('project', textSchema, 'Only asks that came from the folder with this name.'),
  query('cursor', textSchema, 'The `next` of the previous page.'),
  query('size', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'Asks per page.'),
]
const signedOut = {
  401: problem('Not signed in, or the request is not signed as required.'),
  403: problem('The request was not sent by a page of this inbox.'),
}

export const apiParts = { json, problem, query, id, page, ownHeader, filters, signedOut }
