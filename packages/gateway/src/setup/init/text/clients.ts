// The clients that `assent init` sets up: their names, what the person does next in each, and where each was found.

/** As in the table of known clients. */
export const clientTitles = {
  vscode: 'VS Code',
  claudeCode: 'Claude Code',
  claudeDesktop: 'Claude Desktop',
  cursor: 'Cursor',
  codex: 'Codex',
  geminiCli: 'Gemini CLI',
  goose: 'Goose',
  zed: 'Zed',
  opencode: 'opencode',
}

/** After the files were written. */
export const nextSteps = {
  vscode: 'Type /conductor in the chat, or choose the agent Conductor. VS Code asks once whether the server may start.',
  claudeCode: {
    project: 'Start `claude` here once and approve the server of this project.',
    user: 'Restart `claude`; /mcp shows the server.',
  },
  claudeDesktop: 'Quit Claude Desktop completely and start it again.',
  cursor: 'Turn the server on under Settings, MCP: Cursor leaves new servers off.',
  codex: {
    project: 'Start Codex here and trust the project: it reads this file only in trusted projects.',
    user: 'Restart Codex; /mcp shows the server.',
  },
  geminiCli: {
    project: 'Start Gemini CLI here and trust the folder; /mcp shows the server.',
    user: 'Restart Gemini CLI; /mcp shows the server.',
  },
  goose: 'Start a new session of Goose.',
  zed: {
    project: 'Open the project in Zed and trust it; then Zed starts the server.',
    user: 'Zed starts the server by itself.',
  },
  opencode: 'Restart opencode.',
}

/** In the list of extensions of Goose. */
export const extensionDescription = 'Asks the person: plans, commits, choices'

export const foundText = {
  both: 'on this machine and in this repository',
  machine: 'on this machine',
  repository: 'in this repository',
  named: 'named by you',
}
