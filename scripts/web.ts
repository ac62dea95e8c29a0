// Builds the web app into the folder from which the gateway serves it: `npm run web`, needed before `assent` runs from its sources.
import { builtWebApp } from './inbox/web-app.ts'

await builtWebApp()
