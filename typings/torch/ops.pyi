aten: object
