// The web app of the inbox, built where the gateway serves it from: `npm run web`, before `assent` runs from its sources.
import { builtWebApp } from './inbox/web-app.ts'

await builtWebApp()
