import jupyter from '@jupyter/eslint-plugin';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'lib',
      'build',
      'node_modules',
      'src/types.ts',
      'style',
      '**/*.mjs'
    ]
  },
  ...tseslint.configs.recommendedTypeChecked.map(config => ({
    ...config,
    files: ['**/*.ts', '**/*.tsx']
  })),
  ...jupyter.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.test.json'] }
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/explicit-function-return-type': [
        'error',
        { allowExpressions: true }
      ],
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false } }
      ],
      // Lumino's signals take the method and `this` apart: connect(this.heard, this).
      '@typescript-eslint/unbound-method': 'off',
      // All of it is needed at start: the panel is restored with the layout.
      'jupyter/prefer-lazy-imports': 'off',
      eqeqeq: 'error',
      curly: 'error',
      'max-lines': ['error', 400]
    }
  },
  {
    files: ['test/**'],
    rules: {
      // node:test runs what test() returns.
      '@typescript-eslint/no-floating-promises': 'off',
      '@typescript-eslint/explicit-function-return-type': 'off',
      'jupyter/no-untranslated-string': 'off'
    }
  },
  { files: ['src/views/**'], rules: { 'max-lines': ['error', 300] } }
);
