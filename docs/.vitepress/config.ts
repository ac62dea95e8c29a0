// VitePress looks for this file. The configuration is next to the script that builds the site.
export { siteConfig as default } from '../../scripts/docs-site/config.ts'
