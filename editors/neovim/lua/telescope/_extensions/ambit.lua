-- Registers :Telescope ambit.
return require('telescope').register_extension({
  exports = {
    ambit = function(opts)
      require('ambit.pickers.telescope').live({}, opts)
    end,
  },
})
